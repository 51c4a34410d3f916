//go:build go1.25

package orcruntime

import (
	"slices"
	"strconv"
)

// divergence is why a step of the plan could not be done.
type divergence struct {
	step  int // from 1
	want  Step
	found string
}

// follow does the steps of the plan until one cannot be done, or the program
// has ended as expected.
func (s *run) follow() *divergence {
	steps := s.cfg.Plan.Steps
	// seen reports whether what is expected has come about, and ended the run.
	seen := func() bool {
		if !s.over || !s.observed() {
			return false
		}
		s.note("observed after step " + strconv.Itoa(s.planStep) + " of " + strconv.Itoa(len(steps)))
		return true
	}
	for s.planStep = 0; s.planStep < len(steps); s.planStep++ {
		st := steps[s.planStep]
		if s.over {
			if seen() {
				return nil
			}
			return &divergence{s.planStep + 1, st, "the program has ended: " + s.endText()}
		}
		found := ""
		if s.cfg.Plan.Elastic {
			found = s.followElastic(s.planStep, st)
		} else {
			s.ahead = steps[s.planStep:]
			found = s.follow1(st)
		}
		if found != "" {
			if seen() { // on the way to the guard of the step, as a data race may be
				return nil
			}
			return &divergence{s.planStep + 1, steps[s.planStep], found}
		}
		s.passSetters()
	}
	s.ahead = nil
	return nil
}

// goesAlong is called by a goroutine that has done a step of the plan and come to its next guard. It reports whether the
// next step of the plan is that one: then the goroutine passes the guard at once, as goesOn has it.
func (s *run) goesAlong(g *goroutine) bool {
	i := s.planStep + 1
	if s.over || i >= len(s.cfg.Plan.Steps) || g.mismatch != "" {
		return false
	}
	st := s.cfg.Plan.Steps[i]
	if st.G != g.path || st.Case == Reach || g.woken == g.site || st.Site != g.site.key() || !s.matchesOcc(g, st.Occ) {
		return false
	}
	s.stepped()
	s.adopt()
	if s.completed() != nil || s.over {
		return false
	}
	s.planStep, s.ahead = i, s.cfg.Plan.Steps[i+1:]
	s.passes(g, st.Case, true)
	return true
}

// goesBy reports whether g went by a minor guard in the run that a plan repeats: it has a
// step to come, and that is another one.
func (s *run) goesBy(g *goroutine, site Site) bool {
	i := slices.IndexFunc(s.ahead, func(st Step) bool { return st.G == g.path })
	return i >= 0 && s.ahead[i].Site != site.key()
}

// follow1 does one step, or says what stands in its way.
func (s *run) follow1(st Step) (found string) {
	if st.G == TimeStep {
		return s.stepTime()
	}
	site, ok := siteOf(st.Site)
	toEnd := st.Case == Reach && st.Site == ""
	if !ok && !toEnd {
		return "the program has no such site"
	}
	g := s.all[st.G]
	if g == nil {
		return st.G + " has not been created"
	}
	// A Start guard and the lock of a signalled Cond need no step of their own.
	// Polling in vain is no step either, as long as it may end.
	for spins, passed := 0, 0; g.state == parked && !s.over; {
		if g.op == opSpin && g.site != site {
			if spins++; spins > busy {
				break
			}
		} else if g.site == site {
			break
		} else if g.op != opStart && !g.granted {
			// A loop may have many of them; one that polls comes to a guard for that, too.
			if passed++; passed > s.cfg.Plan.MaxSteps || !s.passOther(g) {
				break
			}
		}
		s.grant(g, anyCase, false)
	}
	if toEnd {
		if g.state != done {
			return st.G + " is " + s.doing(g)
		}
		return ""
	}
	if g.state == blocked && g.site == site {
		s.reopenFree()
	}
	if g.state == blocked && g.site == site && slices.Contains(s.blocked, g) && s.matchesOcc(g, st.Occ) {
		return st.G + " is still " + s.doing(g)
	}
	if there := g.state == parked && g.site == site; g.woken == site &&
		(st.Occ == 0 && !there || st.Occ == g.wokenOcc && st.Occ < g.occ()) {
		g.woken = 0
		return "" // done already, by what another goroutine did
	}
	if g.state != parked || g.site != site {
		return st.G + " is " + s.doing(g)
	}
	if !s.matchesOcc(g, st.Occ) {
		return st.G + " is there for the " + ordinal(g.occ()) + " time"
	}
	if len(s.ahead) > 0 {
		s.ahead = s.ahead[1:]
	}
	if st.Case == Reach {
		return ""
	}
	s.following = !s.cfg.Plan.Elastic && s.cfg.Plan.Late == ""
	s.grant(g, st.Case, true)
	s.following = false
	if g.mismatch != "" {
		return st.G + " was there, but " + g.mismatch
	}
	return ""
}

// passOther reports whether g is to pass a guard that no step of the plan names. A
// plan names the atomic operations that it makes goroutines meet at. A minor guard
// stands in the way of any other step of its goroutine.
func (s *run) passOther(g *goroutine) bool {
	if g.op.minor() {
		return true
	}
	if !s.cfg.Plan.PassOthers && g.op != opAtomic || g.op == opEnd {
		return false
	}
	key := g.site.key()
	if s.named == nil {
		s.named = map[Step]bool{}
		for _, st := range s.cfg.Plan.Steps {
			s.named[Step{G: st.G, Site: st.Site}], s.named[Step{Site: st.Site}] = true, true
		}
	}
	if s.named[Step{G: g.path, Site: key}] || g.op == opAtomic && s.named[Step{Site: key}] {
		return false
	}
	if g.op == opAtomic {
		return true
	}
	if !g.unnamed[g.site] { // it is said once, be it in a loop
		if g.unnamed == nil {
			g.unnamed = map[Site]bool{}
		}
		g.unnamed[g.site] = true
		s.note(g.path + " has passed " + key + " (" + sourceLine(g.site) + "), which the plan does not name")
	}
	return true
}

// matchesOcc: the pending pass of g is the one a step means. A guard that is
// granted more than once for one pass may have been counted each time.
func (s *run) matchesOcc(g *goroutine, occ int) bool {
	return occ == 0 || occ == g.occ() || occ == g.occ()+g.grants[g.site]
}

// stepTime lets time pass as a step.
func (s *run) stepTime() string {
	s.steps++
	s.exec.time(s)
	if s.cfg.Journal != nil {
		s.journal(TimeStep, "", 0, anyCase)
	}
	if g := s.settler(); g != nil {
		return g.path + " waits for the others to settle, before time passes"
	}
	if s.awake() {
		return "time does not pass: in a synctest bubble somebody can go on"
	}
	if why := s.timePassesNot(); why != "" {
		return why
	}
	if !s.passTime() {
		return "no timer is pending"
	}
	s.worked()
	s.times++
	s.woken()
	s.hash = mix(s.hash, uint64(s.now))
	s.cfg.cover.passes()
	if s.cfg.Record {
		s.trace = append(s.trace, Step{G: TimeStep})
	}
	return ""
}

// tail lets everything go on that can, by the choices of the Chooser, until
// the program has ended or nothing can move.
func (s *run) tail() {
	s.choosing = true
	defer func() { s.choosing = false }()
	for s.more() {
		if c := s.next; c != nil { // for which the rest has been looked at, too
			s.next = nil
			if s.choice(*c, View{Ready: s.ready}) {
				return
			}
			continue
		}
		v := s.view()
		if len(v.Ready) == 0 && (!s.anyLive() || s.calm()) {
			s.resting = true
			return
		}
		if since, ok := s.spin(v); ok {
			// Without an event to come, the clock would be at the end of time.
			changing := s.changing(v)
			if (v.Time || !changing) && s.times-since <= busy && s.stepTime() == "" {
				continue
			}
			if !changing {
				s.busy = s.busyText(v)
				return
			}
		}
		if s.choice(s.chooser.Next(v), v) {
			return
		}
	}
}

// more: the Chooser may have another step done.
func (s *run) more() bool { return !s.over && !s.stopped && s.steps < s.cfg.Plan.MaxSteps }

// choice does what the Chooser has said. It reports whether nothing can move any more.
func (s *run) choice(c Choice, v View) (rests bool) {
	switch {
	case c.Index == Stop:
		s.stopped = true
	case c.Index >= 0 && c.Index < len(v.Ready):
		s.grant(v.Ready[c.Index].g, max(c.Case, 0), false)
	case s.reopenFree():
	case s.stepTime() != "" && len(v.Ready) == 0:
		s.resting = true
		return true
	}
	return false
}

// view is what there is to choose from. Where goroutines are expected to be
// stuck for good, the entry function returns only when nothing else can move.
func (s *run) view() View {
	ready := s.ready[:0]
	var end *goroutine
	for i := 0; i < len(s.live); i++ {
		g := s.live[i]
		switch g.state {
		case done: // came back from outside
			s.live = remove(s.live, g)
			i--
		case parked:
			if g.op == opEnd {
				end = g
				if s.cfg.Plan.Expect.Kind != "" && !s.endsNow() {
					continue
				}
			}
			ready = append(ready, s.parkedAt(g))
		}
	}
	if len(ready) == 0 && end != nil && (!s.mayPass() || s.held >= calmAfter) {
		ready = append(ready, s.parkedAt(end))
	}
	ready = s.holders(ready)
	s.ready = ready
	return View{Ready: ready, Time: s.mayPass(), Step: s.steps, run: s}
}

// endsNow: what chooses wants the entry function to return while others could go on,
// though something is expected.
func (s *run) endsNow() bool {
	c, ok := s.chooser.(interface{ ends(*run) bool })
	return ok && c.ends(s)
}

func (s *run) parkedAt(g *goroutine) Parked {
	return Parked{G: g.path, Site: g.site, Op: g.op.String(), Cases: len(g.cases), End: g.op == opEnd, g: g}
}

func (s *run) anyLive() bool {
	for _, g := range s.live {
		if g.state != done {
			return true
		}
	}
	return false
}
