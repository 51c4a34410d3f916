//go:build go1.25

package orcruntime

import (
	"slices"
	"unsafe"
)

// clock is a vector clock: how much of each goroutine, by its number in the
// run, has happened before.
type clock []uint32

// at is the component of goroutine i.
func (c clock) at(i int) uint32 {
	if i < len(c) {
		return c[i]
	}
	return 0
}

// join adds what has happened before d.
func (c *clock) join(d clock) {
	for len(*c) < len(d) {
		*c = append(*c, 0)
	}
	for i, n := range d {
		(*c)[i] = max((*c)[i], n)
	}
}

// syncKey is an object that orders goroutines; part tells the two clocks of an
// RWMutex apart, and those of an atomic variable.
type syncKey struct {
	p    unsafe.Pointer
	part objectPart
}

// objectPart is of the size of a pointer, so that syncKey is hashed at once.
type objectPart uintptr

const (
	wholeObject objectPart = iota
	readersPart
	accumulatedPart // of an atomic variable
)

// chanClock is what has happened before the operations on a channel.
type chanClock struct {
	sent    []clock // of the values in the buffer
	taken   []clock // of the receives whose places have not been used again
	sends   int
	closed  clock
	foreign bool // uninstrumented code uses it too
}

// created numbers a goroutine.
func (r *races) created(g *goroutine) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	g.index = len(r.paths)
	r.paths = append(r.paths, g.path)
	g.clock = slices.Grow(clock(nil), g.index+1)[:g.index+1]
	g.clock[g.index] = 1
	g.apart = slices.Clone(g.clock)
	if g.callback {
		g.joins(g.creator)
		r.passLibrary(g)
	}
}

// snapshot is what g has done, to happen before what follows from it.
func (r *races) snapshot(g *goroutine) clock {
	if r == nil {
		return nil
	}
	r.settle(g)
	r.mu.Lock()
	defer r.mu.Unlock()
	c := slices.Clone(g.clock)
	g.tick()
	return c
}

// joins orders what has happened before c before what g does, and not by calls of the library.
func (g *goroutine) joins(c clock) {
	g.clock.join(c)
	g.apart.join(c)
}

// tick begins a new interval of g: what it does from now on has not happened
// before what has been released.
func (g *goroutine) tick() {
	g.clock[g.index]++
	g.apart[g.index] = g.clock[g.index]
}

// started orders what g has done before what child does.
func (r *races) started(g, child *goroutine) {
	g.run.exec.started(g, child)
	if r == nil {
		return
	}
	r.settle(g)
	r.mu.Lock()
	defer r.mu.Unlock()
	child.clock.join(g.clock)
	child.apart.join(g.apart)
	g.tick()
}

// release orders what g has done before what acquires the key.
func (r *races) release(g *goroutine, k syncKey) {
	g.run.exec.release(g, k)
	g.run.cfg.cover.released(g, k)
	if r == nil {
		return
	}
	r.settle(g)
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.objects[k]
	if c == nil {
		c = new(clock)
		r.objects[k] = c
	}
	c.join(g.clock)
	g.tick()
}

// acquire orders what was released before what g does.
func (r *races) acquire(g *goroutine, k syncKey) {
	g.run.exec.acquire(g, k)
	g.run.cfg.cover.acquired(g, k)
	if r == nil {
		return
	}
	r.settle(g)
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.objects[k]; c != nil {
		g.joins(*c)
	}
}

// operates records that an operation of package sync changes its object, at once, so that it
// races with what copies or overwrites the object as a value.
func (r *races) operates(g *goroutine, p unsafe.Pointer) {
	if r == nil || g.site == 0 {
		return
	}
	if f := r.access(g, placeAt(g.site), p, wordSize, writes|atomicOne); f != nil {
		g.run.raced(*f)
	}
}

// locked: g has got the lock.
func (r *races) locked(g *goroutine, l lockRef) {
	defer r.operates(g, l.p)
	r.acquire(g, syncKey{l.p, wholeObject})
	if l.kind == writeLock {
		r.acquire(g, syncKey{l.p, readersPart})
	}
}

// unlocks: g is about to give the lock back.
func (r *races) unlocks(g *goroutine, l lockRef) {
	r.operates(g, l.p)
	if l.kind == readLock {
		r.release(g, syncKey{l.p, readersPart})
		return
	}
	r.release(g, syncKey{l.p, wholeObject})
}

// signalled: g has woken w, which waits for a Cond.
func (r *races) signalled(g, w *goroutine) {
	g.run.exec.woke(g, w)
	if r == nil {
		return
	}
	r.settle(g)
	r.mu.Lock()
	defer r.mu.Unlock()
	w.clock.join(g.clock)
	g.tick()
}

// settled: g has waited until all others were blocked, which orders what they have done
// before what it does, as synctest.Wait promises.
func (r *races) settled(g *goroutine) {
	g.run.exec.settled(g)
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, o := range g.run.all {
		if o != g {
			g.joins(o.clock)
			o.tick()
		}
	}
}

// met: g and w have passed a value without a buffer, which orders either
// before the other's next.
func (r *races) met(g, w *goroutine) {
	g.run.exec.met(g, w)
	g.run.cfg.cover.met(g, w)
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	g.joins(w.clock)
	w.joins(g.clock)
	g.tick()
	w.tick()
}

func (r *races) channel(p unsafe.Pointer) *chanClock {
	c := r.chans[p]
	if c == nil {
		c = &chanClock{}
		r.chans[p] = c
	}
	return c
}

// communicated: g has completed c on the real channel.
func (r *races) communicated(g *goroutine, c Case) {
	g.run.exec.communicated(g, c)
	g.run.cfg.cover.communicated(g, c)
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	h, size := r.channel(c.channel()), c.capacity()
	switch {
	case h.foreign:
	case !c.sends() && !c.received(): // closed
		if h.closed == nil {
			h.foreign = true
			break
		}
		g.joins(h.closed)
		return
	case size == 0: // the partner is uninstrumented code
		h.foreign = true
	case c.sends():
		// The k-th receive happens before the send that takes its place.
		if h.sends++; h.sends > size && len(h.taken) > 0 {
			g.joins(h.taken[0])
			h.taken = h.taken[1:]
		}
		h.sent = append(h.sent, slices.Clone(g.clock))
		h.foreign = len(h.sent) != c.buffered()
	case len(h.sent) == 0:
		h.foreign = true
	default:
		g.joins(h.sent[0])
		h.sent = h.sent[1:]
		h.taken = append(h.taken, slices.Clone(g.clock))
		h.foreign = len(h.sent) != c.buffered()
	}
	if h.foreign {
		if !c.sends() && !c.received() {
			g.joins(r.events)
		}
		r.mixed(h)
		r.waitedForLibrary(g)
		return
	}
	g.tick()
}

// mixed leaves the order on a channel that uninstrumented code uses to the
// clock of the library.
func (r *races) mixed(h *chanClock) {
	for _, list := range [][]clock{h.sent, h.taken, {h.closed}} {
		for _, c := range list {
			r.library.join(c)
		}
	}
	h.sent, h.taken = nil, nil
}

// closed: g closes the channel, of an event if it has no values.
func (r *races) closed(g *goroutine, p unsafe.Pointer, event bool) {
	if r == nil {
		return
	}
	r.settle(g)
	r.mu.Lock()
	defer r.mu.Unlock()
	h := r.channel(p)
	h.closed.join(g.clock)
	if event {
		r.events.join(g.clock)
	}
	if h.foreign {
		r.library.join(g.clock)
	}
	g.tick()
}
