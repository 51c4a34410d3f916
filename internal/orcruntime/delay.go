//go:build go1.25

package orcruntime

import (
	"iter"
	"slices"
	"time"
)

// In a run time passes from one event to the next. A goroutine that is slow may also be
// slow for less than that, and it shows where it sets a deadline: the deadline is later then
// than another one that is pending, and that it would have come before. How late it is, as
// seen from the deadlines that are pending, is a choice: 0 is in time, each other value puts
// it behind one more of them.
//
// Elsewhere nothing is lost: for what a goroutine does a little later others can be slow to
// come up to it. Neither is it with a Sleep: that somebody wakes later than he could is no other
// than that he is slow to go on. That a deadline is behind the end of a Sleep is a choice, too, but
// not for an exploration of all schedules, which comes to the same by a longer stall.

// delays are the times that may pass before an event is set that comes after d: the least one
// for every pending event that it then comes behind. No event may come meanwhile. With a period, d is that of a ticker.
func (s *run) delays(d time.Duration, periodic bool) (out []time.Duration) {
	now := s.clock()
	if now+d < now {
		return nil // never
	}
	next := s.nextPending()
	// Who goes on behind an event may be late himself, and the one that is set here is not to
	// have come by then.
	behind := lag
	if s.readings.lags {
		behind += lag
	}
	pending := func(at time.Duration) {
		switch late := at - now - d; {
		case late >= 0:
			out = append(out, late+behind)
		case periodic: // a later tick
			out = append(out, (at-now)%d+behind)
		}
	}
	s.mu.Lock()
	for _, at := range s.dues {
		if at > now {
			pending(at)
		}
	}
	for _, t := range s.tickers {
		pending(t.next(now + d - 1))
	}
	s.mu.Unlock()
	if s.exec == nil {
		for at := range s.sleepsEnd(now) {
			pending(at)
		}
	}
	return slices.DeleteFunc(out, func(late time.Duration) bool { return now+late >= next })
}

// nextPending is the time of the next event that may come, though nobody waits for it; it
// is far if there is none.
func (s *run) nextPending() time.Duration {
	now := s.clock()
	next := now + far
	s.mu.Lock()
	for _, at := range s.dues {
		if at > now {
			next = min(next, at)
		}
	}
	for _, t := range s.tickers {
		next = min(next, t.next(now))
	}
	s.mu.Unlock()
	for at := range s.sleepsEnd(now) {
		next = min(next, at)
	}
	return next
}

// sleepsEnd are the times, later than now, at which those wake who sleep.
func (s *run) sleepsEnd(now time.Duration) iter.Seq[time.Duration] {
	return func(yield func(time.Duration) bool) {
		if s.sleepers == 0 {
			return
		}
		for _, g := range s.blocked {
			if at := time.Duration(g.wakeAt); g.op == opSleep && at > now && !g.timeless() && !yield(at) {
				return
			}
		}
	}
}

// stopToSet has the goroutine stand where it is about to set a deadline. While time passes
// only when nothing else can happen it makes no difference who is first.
func (g *goroutine) stopToSet(site Site) {
	if x := g.run.exec; x == nil || x.timed {
		g.setting = true
		g.stopToCall(site)
		g.setting = false
	}
}

// passSetters has all those go on who stand where they are about to set a deadline, but for the one of the plan who is
// to be late.
func (s *run) passSetters() {
	if s.cfg.Plan.Late == "" {
		return
	}
	for i := 0; i < len(s.live) && !s.over; i++ {
		if g := s.live[i]; g.state == parked && g.setting && g.path != s.cfg.Plan.Late {
			s.grant(g, anyCase, false)
			i = -1 // he may stand at the next one, and have started others
		}
	}
}

// setters are the goroutines that have set deadlines.
func (s *run) setters() (paths []string) {
	for g := range s.latest {
		paths = append(paths, g.path)
	}
	slices.Sort(paths)
	return paths
}

// sets notes that g sets a deadline, and what the latest time is at which it comes.
func (s *run) sets(g *goroutine, at time.Duration) {
	s.exec.sets()
	now := s.clock()
	for o, latest := range s.latest {
		s.ordered = s.ordered || o != g && latest > now
	}
	if s.latest == nil {
		s.latest = make(map[*goroutine]time.Duration)
	}
	s.latest[g] = max(s.latest[g], at)
}

// delay lets time pass, as is chosen, before g sets an event at a site that comes after d.
func (g *goroutine) delay(site Site, d time.Duration, periodic bool) {
	s := g.run
	latest := s.clock() + d
	if periodic {
		latest = far
	}
	s.sets(g, latest)
	if s.back != nil || s.bubbles > 0 { // the clock is a real one, or exact
		return
	}
	list := s.delays(d, periodic)
	if len(s.readings.kept) > 0 || len(s.readings.found) > 0 {
		// Who reads the clock later may see that a duration has passed, though the event
		// is still to come.
		list = append(list, s.lateReadings()...)
	}
	g.isLate(site, list)
	if s.readings.lags {
		s.readings.event(s.clock())
	}
}

// isLate lets time pass: none, or one of those in a list, as is chosen. It reports whether
// any has.
func (g *goroutine) isLate(site Site, list []time.Duration) bool {
	if len(list) == 0 {
		return false
	}
	slices.Sort(list)
	list = slices.Compact(list)
	s := g.run
	s.ordered = true
	late := g.chooseDelay(site.minor(opDelay), list)
	if late == 0 {
		return false
	}
	if !g.looksAgain() { // else it is at work
		s.stalls = append(s.stalls, Stall{g.path, site.key(), late})
	}
	g.late = late
	<-g.wake
	return true
}

// looksAgain: g only looks whether something has happened, and it has not.
func (g *goroutine) looksAgain() bool {
	if x := g.run.exec; x != nil {
		return x.spins
	}
	return g.turns > 0
}

// delayed lets the time pass that g, which has the baton, is late, and g go on. No event comes
// meanwhile.
func (s *run) delayed(g *goroutine) {
	if s.timePasses() {
		time.Sleep(g.late)
		s.passed()
	}
	g.late = 0
	g.wake <- struct{}{}
}

// chooseDelay is none, or one of those in a list. Unless time may pass while a goroutine
// could go on, or a plan says so, there is none; but who looks at the clock again and again
// while nothing happens is late in the end.
func (g *goroutine) chooseDelay(site Site, list []time.Duration) (late time.Duration) {
	s := g.run
	looks := g.looksAgain()
	if s.exec != nil && !looks && !s.exec.mayDelay() {
		return 0
	}
	occ, seed := g.ask(site)
	n := len(list) + 1
	value := 0
	switch r := random(seed); {
	case s.exec != nil:
		value = s.exec.delay(g, site, n, looks)
	case !looks && g.path == s.cfg.Plan.Late:
		value = n - 1
	case !looks && (!s.cfg.Delays || r.next(2) == 0):
	case r.next(3) == 0: // most errors need no more than that somebody is late enough
		value = n - 1
	default:
		value = 1 + r.next(n-1)
	}
	c, planned := g.prescribed(site, occ)
	if planned && c.Late == 0 && (c.Value == 0 || c.Value > 0 && c.N == n && c.Value < n) {
		value = c.Value // a plan of before there was Late has no more than that
	}
	if value > 0 {
		late = list[value-1]
	}
	if planned && c.Late > 0 && s.clock()+c.Late < s.nextPending() {
		value, late = c.Value, c.Late
	}
	s.record(EnvChoice{g.path, site.key(), occ, n, value, late})
	return late
}
