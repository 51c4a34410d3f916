package predict

import (
	"slices"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/analyze"
	"github.com/vtrace/vtrace/internal/orcruntime"
	"github.com/vtrace/vtrace/internal/trace"
)

// Planned is a prediction with the plans that show it.
type Planned struct {
	analyze.Prediction
	// Kind is the kind of error that is predicted, as in findings; "" is that of no analysis.
	Kind string
	// At are the goroutines that it is about, where they are then.
	At []artifact.At
	// Plans are to be tried in this order. There are none if no order was found, or if Err says why.
	Plans []artifact.Plan
	Err   error
}

// kinds are the kinds of errors that analyses predict. Of a cycle it depends on the others whether all goroutines
// are stuck.
var kinds = map[analyze.Code]string{
	analyze.SC:                       artifact.KindSendOnClosed,
	analyze.PossibleNegativeCounter:  artifact.KindNegativeCounter,
	analyze.PossibleUnlockOfUnlocked: artifact.KindUnlockUnlocked,
	analyze.LockCycle:                artifact.KindPartialDeadlock,
	analyze.MixedCycle:               artifact.KindPartialDeadlock,
	analyze.WaitGroupReuse:           artifact.KindWaitGroupReuse,
	analyze.Race:                     artifact.KindRace,
	analyze.ReorderedRace:            artifact.KindRace,
}

// Planner makes the plans of predictions of a recorded run.
type Planner struct{ *names }

// NewPlanner is a planner for a recorded run of a program, of which side has the sites. test says whether its entry is a
// test.
func NewPlanner(t *trace.Trace, side *artifact.Sidecar, test bool) Planner {
	return Planner{nameAll(t, side, test)}
}

// Plan makes the plans of a prediction. They are as long as the run.
func (n Planner) Plan(p analyze.Prediction) *Planned {
	out := &Planned{Prediction: p}
	if p.Finding != nil {
		out.Kind = kinds[p.Finding.Code]
	}
	next := make([]artifact.PlanStep, 0, len(p.Next))
	for _, t := range p.Next {
		g, err := n.guard(t.Ref)
		if err != nil {
			out.Err = err
			return out
		}
		out.At = append(out.At, g.at)
		if t.Timed {
			// It is made before the guard. Until it is due, others may be before it.
			next = append(next, artifact.PlanStep{G: g.at.G, Site: g.at.Site, Occ: g.occ, Case: orcruntime.Reach})
			for range timersBefore {
				next = append(next, artifact.PlanStep{G: artifact.TimeStep})
			}
		}
		next = add(next, g, t.Case)
	}
	for _, order := range p.Orders {
		steps, err := n.steps(order)
		if err != nil {
			out.Err = err
			return out
		}
		out.Plans = append(out.Plans, artifact.Plan{Steps: append(steps, next...), Expect: out.Expect()})
	}
	return out
}

// timersBefore is how often time passes to the next event for an operation that may wait for a timer.
const timersBefore = 4

// behind is the step by which a goroutine has done an operation that has no guard, and that others see: it comes to
// its next guard, or to its end. That of the entry function is a guard that no step names.
func (n *names) behind(r trace.Ref) (artifact.PlanStep, bool) {
	all := n.guards[r.Goroutine-1]
	g := all[r.PC-1]
	if !g.seen || g.passed {
		return artifact.PlanStep{}, false
	}
	for _, next := range all[r.PC:] {
		if next.passed {
			return artifact.PlanStep{G: next.at.G, Site: next.at.Site, Occ: next.occ, Case: orcruntime.Reach}, true
		}
	}
	return artifact.PlanStep{G: g.at.G, Case: orcruntime.Reach}, g.at.G != entryPath
}

// Expect is what a run shows that follows the plan to the error: who is stuck, or in which way the program
// ends.
func (p *Planned) Expect() artifact.Expect {
	e := artifact.Expect{Kind: p.Kind, Goroutines: []artifact.At{}}
	if p.Kind == artifact.KindPartialDeadlock {
		e.Goroutines = p.At
	}
	return e
}

// Guides are the plans for runs that are near them: these come by themselves to where no guard is.
func (p *Planned) Guides() [][]artifact.PlanStep {
	var out [][]artifact.PlanStep
	for _, plan := range p.Plans {
		out = append(out, slices.DeleteFunc(slices.Clone(plan.Steps), func(s artifact.PlanStep) bool { return s.Case == orcruntime.Reach }))
	}
	return out
}

// steps are those of operations in an order, with the cases that were taken.
func (n *names) steps(order []trace.Ref) ([]artifact.PlanStep, error) {
	steps := make([]artifact.PlanStep, 0, len(order))
	for _, r := range order {
		g, err := n.guard(r)
		if err != nil {
			return nil, err
		}
		steps = add(steps, g, g.taken)
		if s, ok := n.behind(r); ok {
			steps = append(steps, s)
		}
	}
	return steps, nil
}

// add adds the step of an operation, if it has one.
func add(steps []artifact.PlanStep, g guard, chosen int32) []artifact.PlanStep {
	if !g.passed {
		return steps
	}
	s := artifact.PlanStep{G: g.at.G, Site: g.at.Site, Occ: g.occ}
	if g.selects {
		s.Case = int(chosen)
	}
	return append(steps, s)
}
