//go:build go1.25

package orcruntime

import "strings"

// A plan made from a model may have time pass in other places than a run: of two
// events at one instant the model has one after the other, and of two that follow
// each other it may have the second first. Whoever an event wakes comes to a guard
// and is held there, so that it seldom matters when it happened. With
// Plan.Elastic, time passes when it must.

// Time passes at most elasticEvents times for a step, and at most earlyEvents times
// for a case of a select that is not ready yet.
const elasticEvents, earlyEvents = 64, 4

// followElastic is follow1 for the i-th step of an elastic plan.
func (s *run) followElastic(i int, st Step) (found string) {
	if st.G == TimeStep {
		if s.mayPass() {
			return s.stepTime()
		}
		return ""
	}
	for n := 0; n < earlyEvents && s.early(i, st) && s.mayPass() && s.stepTime() == ""; n++ {
	}
	found = s.follow1(st)
	for n := 0; n < elasticEvents && found != "" && s.waits(st.G) && s.mayPass() && s.stepTime() == ""; n++ {
		found = s.follow1(st)
	}
	return found
}

// early: the goroutine of a step stands at a select, and the case that it is to
// take is that of an event that has not happened. It is to take it now, since no
// step lets time pass before its next one.
func (s *run) early(i int, st Step) bool {
	g := s.all[st.G]
	if g == nil || g.state != parked || g.op != opSelect || g.site.key() != st.Site || st.Case < 0 || st.Case >= len(g.cases) {
		return false
	}
	if c := g.cases[st.Case]; c.channel() == nil || !s.silent(c) {
		return false
	}
	for _, next := range s.cfg.Plan.Steps[i+1:] {
		switch next.G {
		case TimeStep:
			return false
		case st.G:
			return true
		}
	}
	return false
}

// waits: time may be what the goroutine of a path waits for: to be woken, or to
// be there at all.
func (s *run) waits(path string) bool {
	g := s.all[path]
	return g == nil && strings.HasPrefix(path, "F@") || g != nil && g.state == blocked
}
