//go:build go1.25

package orcruntime

import (
	"runtime"
	"slices"
)

// Coroutine is what stands behind the two functions of iter.Pull: a goroutine of its own for the
// Go runtime, which does nothing but while somebody waits in one of the functions. So in a run it
// acts as the goroutine that has called the function, with that one's baton.
type Coroutine struct {
	run  *run       // in which it was made, and may go on; nil outside of runs
	stop func()     // of iter.Pull
	by   *goroutine // who waits for it, nil if nobody does
	last *goroutine // who did so last
	id   uint64     // the Go runtime's number, 0 until it begins
	// In a recording of a program that runs free: who waits for it, itself once it has begun, and its number as an object.
	waits, self *recorder
	object      uint64
}

// NewCoroutine is a coroutine that the caller is about to make.
func NewCoroutine() *Coroutine {
	c := new(Coroutine)
	if s := controlling(); s != nil {
		c.run = s
		s.started.Add(1)
		s.coroutines = append(s.coroutines, c)
		s.exec.population(touchBorn)
	}
	return c
}

// Stops tells by which function the coroutine ends.
func (c *Coroutine) Stops(stop func()) { c.stop = stop }

// Resume has the caller wait for the coroutine. It reports whether it is the one who does: while
// the coroutine runs, who calls another time gets a panic from iter.Pull.
func (c *Coroutine) Resume() bool {
	s := controlling()
	if s == nil {
		c.waits = recording()
		return false
	}
	if c.by != nil {
		return false
	}
	c.by = s.caller()
	return true
}

// Stoppable reports whether the caller may stop the coroutine. While it runs for somebody, the Go
// runtime would mistake the one for the other.
func (c *Coroutine) Stoppable() bool {
	s := controlling()
	if s == nil || c.by == nil {
		return true
	}
	if !s.dying.Load() {
		s.weaken("an iterator is stopped while it runs")
	}
	return false
}

// Resumed is called by the coroutine when it begins, and each time that it goes on.
func (c *Coroutine) Resumed() {
	g := c.by
	if g == nil {
		c.handedOver()
		if s := c.run; s != nil && active.Load() == s && s.dying.Load() && c.id != 0 {
			s.actAs(c.id, c.last)
			runtime.Goexit()
		}
		return
	}
	if c.id == 0 {
		c.id = goid()
	}
	g.run.actAs(c.id, g)
}

// handedOver records that the coroutine, which goes on, comes behind all that who waits for it has done.
func (c *Coroutine) handedOver() {
	if c.waits != nil && active.Load() == nil {
		if c.self == nil {
			if c.self = recording(); c.self != nil {
				c.self.library = 0 // it goes back to package iter, and what that orders follows says
			}
		}
		c.follows(c.self, c.waits)
	}
}

// handedBack records that who has waited for the coroutine comes behind all that it has done.
func (c *Coroutine) handedBack() {
	if c.waits != nil && active.Load() == nil {
		c.follows(c.waits, c.self)
		c.waits = nil
	}
}

// follows writes, for the calling goroutine, that it comes behind what the other one, which has given it the turn, has done last.
func (c *Coroutine) follows(r, other *recorder) {
	if r == nil || other == nil || r == other || uint32(other.next) == 1 {
		return // nothing was done
	}
	if c.object == 0 {
		c.object = r.variable()
	}
	r.comesBehind(c.object, other.next-1)
}

// actAs makes a goroutine of the Go runtime known as g.
func (s *run) actAs(id uint64, g *goroutine) {
	if s.cfg.Unchecked {
		return
	}
	s.mu.Lock()
	s.ids[id] = g
	s.mu.Unlock()
}

// Left is called when the caller, if it is the one, waits no more. The coroutine goes on later if
// there are more values.
func (c *Coroutine) Left(resumed bool, more *bool) {
	if !resumed {
		c.handedBack()
		return
	}
	s := c.by.run
	s.mu.Lock()
	delete(s.ids, c.id)
	s.mu.Unlock()
	c.by, c.last = nil, c.by
	if !*more && c.run == s {
		c.run = nil
		s.started.Add(-1)
		s.coroutines = slices.DeleteFunc(s.coroutines, func(other *Coroutine) bool { return other == c })
		s.exec.population(touchOver)
	}
}

// endCoroutines ends those that nobody has stopped, when all goroutines of the run have ended.
func (s *run) endCoroutines() {
	for _, c := range slices.Clone(s.coroutines) { // one may stop another
		if c.by != nil {
			s.leave("an iterator is left that was running when the run ended")
			continue
		}
		ended := make(chan struct{})
		go func() {
			defer func() {
				_ = recover() // of a deferred function, which nobody sees
				close(ended)
			}()
			c.stop()
		}()
		<-ended
	}
	s.coroutines = nil
}
