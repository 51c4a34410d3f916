//go:build go1.25

package orcutil

import (
	"time"
	"unsafe"
)

// TimerMethods are the methods of a timer that the run must know of.
type TimerMethods struct {
	site Site
	t    *time.Timer
}

// Timer is t, for a call of one of its methods in the statement at a site.
func Timer(site Site, t *time.Timer) TimerMethods { return TimerMethods{site, t} }

// Stop is the method of the timer.
func (m TimerMethods) Stop() bool {
	changes(m.site, unsafe.Pointer(m.t), m.t.C)
	_, early := discard(m.t.C)
	return m.t.Stop() || early
}

// Reset is the method of the timer.
func (m TimerMethods) Reset(d time.Duration) bool {
	changes(m.site, unsafe.Pointer(m.t), m.t.C)
	_, early := discard(m.t.C)
	return m.t.Reset(Due(m.site, d)) || early
}

// changes is called before the goroutine that calls stops a timer or ticker, or sets it
// anew. What comes of that, and what others receive of it then, depends on the moment: it is
// a step of its own.
func changes(site Site, timer unsafe.Pointer, c <-chan time.Time) {
	s := active.Load()
	if s == nil || s.dying.Load() {
		return
	}
	g := s.caller()
	if g == nil {
		return
	}
	var p unsafe.Pointer
	if c != nil {
		p = R(c).channel()
	}
	g.timer = timer
	g.stopWithin(opTimer, site, p)
	s.exec.on(spaceTimer, timer, touchAny)
	if p != nil { // nobody receives afterwards what was there
		s.exec.on(spaceChan, p, touchRecv)
		s.exec.on(spaceChan, p, touchTaken)
	}
}

// discard forgets what the calling goroutine's run, s if there is one, has
// received of a timer while nobody had asked for it: with the timer stopped or
// reset, nobody gets it. To the program the timer has not fired, if early, since
// its value was still to be received. With GODEBUG=asynctimerchan=1, where the
// channel has a buffer, the value stays.
func discard(c <-chan time.Time) (s *run, early bool) {
	if s = controlling(); c == nil || s == nil || s.dying.Load() {
		return nil, false
	}
	if p := R(c).channel(); cap(c) == 0 && len(s.stash[p]) > 0 {
		delete(s.stash, p)
		return s, true
	}
	return s, false
}
