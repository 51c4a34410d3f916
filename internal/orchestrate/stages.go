package orchestrate

import (
	"errors"
	"fmt"
	"slices"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// A Stage is where a run is in the model after some of its steps.
type Stage struct {
	at place
	// Standing are the goroutines that there are, in the order of their processes.
	Standing []Standing
	// Done are the transitions since the stage before, in order.
	Done []Transition
}

// Standing is where a goroutine is in the model.
type Standing struct {
	G                 string // creation path
	Process, Location int    // numbers in the network and of the template
	// Queued: it has passed its guard, and its operation is not completed.
	Queued bool
}

// Transition is a transition of the model with who does it.
type Transition struct {
	Parts []check.Part
	// G has the creation path of the goroutine of each part, "" if it is one of none.
	G []string
}

// Stages are the states of the model along a plan.
type Stages struct {
	Info *uppaal.Info
	// Stages has what is there before the first step, and behind each of those that the model
	// could be followed along: it may be less than the plan.
	Stages []Stage
	// Templates are the indexes of the processes' templates.
	Templates []int
	// Fits: the plan was followed to its end, and everybody can be there where a run has seen
	// them. Reason says why not.
	Fits   bool
	Reason string

	history *History
}

// State spells the state of a stage out.
func (s *Stages) State(stage int) check.State {
	return s.history.f.walk.State(s.Stages[stage].at.at)
}

// Enabled are the transitions that are possible in a stage, as far as they were looked at, see
// Follower.Bound.
func (s *Stages) Enabled(stage int) []Transition {
	p := s.Stages[stage].at
	moves, err := s.history.f.successors(p.at)
	if err != nil {
		return nil
	}
	out := make([]Transition, len(moves))
	for i, m := range moves {
		out[i] = s.history.transition(m.Step, p, p)
	}
	return out
}

// maxStagePlaces bounds the places of all stages together, and maxUnnamed the guards that a
// goroutine passes without being named, before a step.
const (
	maxStagePlaces = 1 << 20
	maxUnnamed     = 64
)

// Bound bounds the work of a Follower, see check.Walk.Bound.
func (f *Follower) Bound(work int) { f.walk.Bound(work) }

// Stages follows a plan in the model, to the end that a run has shown: the goroutines in the
// verdict, which may be some of them, and the kind of error. A run passes guards that its plan
// does not name; so does this. Who has come to where it is blocked behind the last step has done so
// in the last stage. Of several ways that fit the first is taken. The error is one
// of the model, or check.ErrWork if not even its beginning can be found; what the model cannot do is
// none.
func (f *Follower) Stages(plan artifact.Plan, v *Verdict) (*Stages, error) {
	out := &Stages{Info: f.walk.Info, Templates: f.templates}
	t, err := f.begin(true)
	if err != nil {
		return nil, err
	}
	at := []int{0} // by steps of the plan: how many of the track
	places := 0
	for i, s := range plan.Steps {
		ok, err := t.stepUnnamed(s)
		if err != nil && !errors.Is(err, check.ErrWork) {
			return nil, err
		}
		if places += len(t.places); places > maxStagePlaces {
			err = check.ErrWork
		}
		if err != nil || !ok {
			out.Reason = fmt.Sprintf("the model cannot do step %d: %s", i+1, f.describe(s))
			if err != nil {
				out.Reason = fmt.Sprintf("the model is followed no further than to step %d, since that takes too much work", i)
			}
			break
		}
		at = append(at, len(t.done)-1)
	}
	if out.Reason == "" {
		if err := t.goOn(v); err != nil && !errors.Is(err, check.ErrWork) {
			return nil, err
		}
	}
	ends, err := t.ending(out, v)
	if err != nil {
		return nil, err
	}
	steps := make([]artifact.PlanStep, len(t.done)-1)
	for i, d := range t.done[1:] {
		steps[i] = d.step
	}
	out.spell(t.historyTo(ends[:1], steps), at)
	return out, nil
}

// goOn has goroutines come to where they are blocked at the end of a run. A plan ends where that comes
// about by itself.
func (t *Track) goOn(v *Verdict) error {
	if ends, err := t.Ends(v); ends || err != nil {
		return err
	}
	for _, g := range v.Goroutines {
		if g.State != artifact.StateBlocked || t.standsAt(g.G) == "" {
			continue
		}
		if _, err := t.stepUnnamed(artifact.PlanStep{G: g.G, Site: g.Site}); err != nil {
			return err
		}
	}
	return nil
}

// ending are the places that fit the end of a run, or all if there are none.
func (t *Track) ending(out *Stages, v *Verdict) ([]*visit, error) {
	if out.Reason == "" {
		before := t.places
		ends, err := t.fitting(v)
		if err == nil && len(ends) > 0 {
			out.Fits = true
			return ends, nil
		}
		if err != nil && !errors.Is(err, check.ErrWork) {
			return nil, err
		}
		out.Reason = "the model does not end where the run does"
		t.places = before
	}
	var ends []*visit
	for _, p := range t.ordered(t.places) {
		ends = append(ends, t.places[p])
	}
	return ends, nil
}

// stepUnnamed does a step, and before it the goroutine passes guards that the plan does not name.
func (t *Track) stepUnnamed(s artifact.PlanStep) (bool, error) {
	places, done, children := t.places, len(t.done), t.children[s.G]
	for range maxUnnamed {
		ok, err := t.Step(s)
		if ok || err != nil || s.G == timeStep {
			return ok, err
		}
		key := t.standsAt(s.G)
		if key == "" || key == s.Site {
			break
		}
		if ok, err := t.Step(artifact.PlanStep{G: s.G, Site: key}); !ok || err != nil {
			if err != nil {
				return false, err
			}
			break
		}
	}
	t.places, t.done, t.children[s.G] = places, t.done[:done], children
	return false, nil
}

// standsAt is the key of the site at which a goroutine is in all places, "" if they differ.
func (t *Track) standsAt(g string) (key string) {
	for p := range t.places {
		i := slices.IndexFunc(decode(p.who), func(m member) bool { return m.g != 0 && m.g == t.number[g] })
		if i < 0 || i >= len(t.f.templates) {
			return ""
		}
		k := siteOf(t.f.side, t.f.at(p.at, i).Site).Key
		if key != "" && k != key {
			return ""
		}
		key = k
	}
	return key
}

// spell spells out the states along the only way of a history. at has how many steps of the
// track each stage stands for.
func (out *Stages) spell(h *History, at []int) {
	out.history = h
	var way []*visit
	for v := h.ends[0]; v != nil; v = v.before {
		way = append(way, v)
	}
	slices.Reverse(way)
	i := 0
	for k, n := range at {
		var stage Stage
		for ; i < len(way) && (h.stage[way[i]] <= n || k == len(at)-1); i++ {
			if v := way[i]; v.step != nil {
				stage.Done = append(stage.Done, h.transition(*v.step, v.before.at, v.at))
			}
		}
		p := way[max(i-1, 0)].at
		stage.at = p
		for process, m := range decode(p.who)[:len(h.f.templates)] {
			if m.g != 0 {
				stage.Standing = append(stage.Standing, Standing{h.names[m.g], process, h.f.walk.Location(p.at, process), m.mark != standing})
			}
		}
		out.Stages = append(out.Stages, stage)
	}
}

// transition says who does a transition: who the processes are before it, or were born as.
func (h *History) transition(step check.Step, before, after place) Transition {
	was, is := decode(before.who), decode(after.who)
	t := Transition{Parts: step.Parts, G: make([]string, len(step.Parts))}
	for i, part := range step.Parts {
		g := was[part.Process].g
		if g == 0 {
			g = is[part.Process].g
		}
		t.G[i] = h.names[g]
	}
	return t
}

// Cells is how many locations and variables a state of the model has.
func (f *Follower) Cells() int { return f.walk.Cells() }
