//go:build go1.25

package orcruntime

import "time"

// TimerMethods are the methods of a timer that the run must know of.
type TimerMethods struct {
	site Site
	t    *time.Timer
}

// Timer is t, for a call of one of its methods in the statement at a site.
func Timer(site Site, t *time.Timer) TimerMethods { return TimerMethods{site, t} }

// Stop is the method of the timer.
func (m TimerMethods) Stop() bool {
	_, early := discard(m.t.C)
	ran := m.t.Stop() || early
	give(m.site, ran)
	return ran
}

// Reset is the method of the timer.
func (m TimerMethods) Reset(d time.Duration) bool {
	_, early := discard(m.t.C)
	ran := m.t.Reset(set(m.site, d)) || early
	give(m.site, ran)
	return ran
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
