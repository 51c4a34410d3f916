//go:build go1.25

package orcruntime

import (
	"bytes"
	"runtime"
	"slices"
)

// A goroutine outside control takes locks as they are, but waiting for one would
// keep the bubble from coming to rest: who holds it may stand at a guard. So it
// waits at a channel, and the controller looks for it whether the lock is free.

// lockWaiter is a goroutine of the bubble, outside control, that waits for a lock.
type lockWaiter struct {
	lock lockRef
	got  chan bool // the lock has been taken for it; false: the run is over
}

// lockOutside takes a lock for a goroutine that is not under control.
func lockOutside(l lockRef) {
	s := active.Load()
	switch {
	case s == nil || s.cfg.Bubble.Wait == nil:
		l.take()
		return
	case l.try():
		return
	case !inBubble():
		l.take()
		return
	}
	s.waitForControl(func(got chan bool) { s.lockWaiters = append(s.lockWaiters, lockWaiter{l, got}) })
}

// waitForControl queues the calling goroutine, with a channel, until the controller lets it go on: it gets true by the channel,
// and false when the run is over, which ends it.
func (s *run) waitForControl(queue func(on chan bool)) {
	on := make(chan bool, 1)
	s.mu.Lock()
	over := s.dying.Load()
	if !over {
		queue(on)
	}
	s.mu.Unlock()
	if over || !<-on {
		runtime.Goexit()
	}
}

// inBubble: the calling goroutine is of a bubble, by the first line of its stack:
// "goroutine 7 [running, synctest bubble 1]:".
func inBubble() bool {
	var buf [80]byte
	line, _, _ := bytes.Cut(buf[:runtime.Stack(buf[:], false)], []byte("\n"))
	return bytes.Contains(line, []byte("synctest bubble"))
}

// quiesce waits until nobody in the bubble can go on, those included who are about to call a
// library, and who wait for a lock that has become free. These run while nobody has the baton, so
// that none of them is taken for who had it.
func (s *run) quiesce() {
	s.comeToRest()
	for s.letCall() || s.handLock() {
		s.comeToRest()
	}
	// Who has come back from outside was not under control until it stopped.
	s.strays.Add(-s.backAgain.Swap(0))
}

// handLock gives the first of those who wait outside control, and whose lock is
// free, that lock.
func (s *run) handLock() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, w := range s.lockWaiters {
		if w.lock.try() {
			s.lockWaiters = slices.Delete(s.lockWaiters, i, i+1)
			s.cur.Store(nil)
			w.got <- true
			return true
		}
	}
	return false
}

// endWaiting ends those who still wait for the controller when the run is over: who
// holds the locks is not there any more.
func (s *run) endWaiting() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.lockWaiters {
		w.got <- false
	}
	for _, on := range s.locks.callers {
		on <- false
	}
	s.lockWaiters, s.locks.callers = nil, nil
}
