package orchestrate

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orcruntime"
)

// Replay makes the program follow a plan, twice, and says what was observed.
// Runs that do not come to the same end prove nothing: the verdict is then
// Unconfirmed. So it is for goroutines that are stuck while control was incomplete.
// Runs that differ on the way to the same end get a note.
//
// A plan that does not show what it expects, of a program that asks its environment
// for something, is tried with opts.Environments others: the seeds from that of the
// plan on. The Plan of the verdict has the seed that it was shown with.
//
// Where the plan marks the order of two steps as a guess and the program does
// not follow it there, the other order is tried. A plan that lets time pass, and
// that the program does not follow, is tried once more with time passing where the
// program needs it; if that shows what is expected, the Plan of the verdict has
// the steps that were done.
func Replay(ctx context.Context, b *Binary, plan artifact.Plan, opts RunOptions) (*Verdict, error) {
	v, err := b.follow(ctx, plan, opts)
	if err != nil {
		return nil, err
	}
	useless, err := b.useless(ctx, plan, v, opts)
	if err != nil {
		return nil, err
	}
	none := func(environment int) bool { return environment < len(useless) && useless[environment] }
	first := v
	if !none(0) {
		first, err = b.elastic(ctx, plan, v, opts)
	}
	late := opts
	late.Delays = true
	for i := 0; err == nil && i < opts.Environments && unshown(first); i++ {
		if none(i + 1) {
			continue
		}
		other := plan
		other.Seed += uint64(i) + 1
		v, err := b.follow(ctx, other, late)
		if err != nil {
			return nil, err
		}
		if v, err = b.elastic(ctx, other, v, late); err != nil {
			return nil, err
		}
		if v.Status != Reproduced {
			continue
		}
		known := v.Plan
		known.Choices = v.Choices // with the delays, which later replays do not choose
		if v, err = b.follow(ctx, known, opts); err != nil {
			return nil, err
		}
		if v, err = b.elastic(ctx, known, v, opts); err != nil || v.Status == Reproduced {
			return v, err
		}
	}
	if err == nil && opts.Environments > 0 {
		if v, err := b.late(ctx, plan, first, opts); v != nil || err != nil {
			return v, err
		}
	}
	return first, err
}

// lateSetters bounds who is tried as the one who sets deadlines late.
const lateSetters = 4

// late tries a plan of which v is known with one goroutine after the other late to set its deadlines: the steps of a
// model do not say who sets his first. It is nil if that does not show what the plan expects.
func (b *Binary) late(ctx context.Context, plan artifact.Plan, v *Verdict, opts RunOptions) (*Verdict, error) {
	if !v.Deadlines || v.Status != Infeasible && v.Status != NotReproduced {
		return nil, nil
	}
	var runs []screenedRun
	for _, g := range v.Setters[:min(len(v.Setters), lateSetters)] {
		runs = append(runs, screenedRun{Plan: plan, MaxSteps: opts.MaxSteps, Late: g})
		for _, p := range elasticForms(plan, &Verdict{Status: Infeasible}) {
			runs = append(runs, screenedRun{Plan: p, MaxSteps: opts.MaxSteps, Elastic: true, Late: g})
		}
	}
	shown, err := b.screen(ctx, runs, opts)
	if err != nil {
		return nil, err
	}
	for i, s := range shown {
		if s.Status != Reproduced {
			continue
		}
		r := runs[i]
		done, _, err := b.run(ctx, job{Plan: r.Plan, MaxSteps: r.MaxSteps, Elastic: r.Elastic, Late: r.Late, Durations: opts.Durations}, opts)
		if err != nil {
			return nil, err
		}
		if done.Status != Reproduced {
			continue
		}
		again := r.Plan
		again.Steps, again.Choices = done.Trace, done.Choices
		if done, err = b.follow(ctx, again, opts); err != nil || done.Status == Reproduced {
			return done, err
		}
	}
	return nil, nil
}

// unshown: another environment may show what this one has not.
func unshown(v *Verdict) bool {
	return v.Asked > 0 && (v.Status == Infeasible || v.Status == NotReproduced)
}

// follow is replay by runs of the program.
func (b *Binary) follow(ctx context.Context, plan artifact.Plan, opts RunOptions) (*Verdict, error) {
	return replay(ctx, plan, func(p artifact.Plan) (*Verdict, error) { return b.Run(ctx, p, opts) })
}

// elasticForms are the plans to follow with time passing where the program needs it, none if what a plan has
// come to leaves nothing to find out by that. What a step lets time pass to may have happened before, as the
// end of a context that is made with a deadline in the past: then time passes only where somebody waits for it.
func elasticForms(plan artifact.Plan, v *Verdict) []artifact.Plan {
	passes := func(s artifact.PlanStep) bool { return s.G == timeStep }
	if v.Status != Infeasible || !slices.ContainsFunc(plan.Steps, passes) {
		return nil
	}
	without := plan
	without.Steps = slices.DeleteFunc(slices.Clone(plan.Steps), passes)
	return []artifact.Plan{plan, without}
}

// elastic tries a plan of which v is known with time passing elsewhere. It returns v if that shows nothing.
func (b *Binary) elastic(ctx context.Context, plan artifact.Plan, v *Verdict, opts RunOptions) (*Verdict, error) {
	for _, followed := range elasticForms(plan, v) {
		elastic, _, err := b.run(ctx, job{Plan: followed, MaxSteps: opts.MaxSteps, Elastic: true, Delays: opts.Delays, Durations: opts.Durations}, opts)
		if err != nil {
			return nil, err
		}
		if elastic.Status != Reproduced {
			continue
		}
		followed.Steps = elastic.Trace
		again, err := b.follow(ctx, followed, opts)
		if err != nil {
			return nil, err
		}
		if again.Status == Reproduced {
			return again, nil
		}
	}
	return v, nil
}

func replay(ctx context.Context, plan artifact.Plan, run func(artifact.Plan) (*Verdict, error)) (*Verdict, error) {
	first, err := run(plan)
	if err != nil {
		return nil, err
	}
	// Every exchange moves the failing step on, or ends the attempts.
	for first.Status == Infeasible {
		other, ok := exchange(first.Plan, first.Step)
		if !ok {
			break
		}
		v, err := run(other)
		if err != nil {
			return nil, err
		}
		if v.Status == Infeasible && v.Step <= first.Step {
			break
		}
		first = v
	}
	if fewer, ok := narrow(first); ok {
		if first, err = run(fewer); err != nil {
			return nil, err
		}
	}
	switch first.Status {
	case Unsupported, Limit:
		return first, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	second, err := run(first.Plan)
	if err != nil {
		return nil, err
	}
	if what := difference(first, second); what != "" {
		first.Reason = fmt.Sprintf("two runs of the plan do not agree: %s (%s)", what, first.Reason)
		first.Status = Unconfirmed
		return first, nil
	}
	first.Given = inBoth(first, second, first.Given, second.Given, func(v orcruntime.GivenValue) int { return v.Step })
	first.Waited = inBoth(first, second, first.Waited, second.Waited, func(step int) int { return step })
	first.Effects = inBoth(first, second, first.Effects, second.Effects, func(e orcruntime.Effect) int { return e.Step })
	first.Reads = inBoth(first, second, first.Reads, second.Reads, func(r orcruntime.ReadValue) int { return r.Step })
	if what := variation(first, second); what != "" {
		first.Notes = append(first.Notes, "two runs of the plan came to the same end, but differ: "+what)
	}
	if first.Status == Reproduced && first.Weak && !first.Settled && stuckKind(plan.Expect.Kind) {
		first.Status = Unconfirmed
		first.Reason = fmt.Sprintf("%s, but control was incomplete: %s", first.Reason, strings.Join(first.Weaknesses, "; "))
	}
	return first, nil
}

// inBoth is what two runs both say of a step that they both have taken; step tells which, from 1.
func inBoth[E comparable](first, second *Verdict, of, other []E, step func(E) int) []E {
	said := make(map[E]bool, len(other))
	for _, e := range other {
		said[e] = true
	}
	return slices.DeleteFunc(slices.Clone(of), func(e E) bool {
		i := step(e) - 1
		return !said[e] || i < 0 || i >= min(len(first.Trace), len(second.Trace)) || first.Trace[i] != second.Trace[i]
	})
}

// stuckKind reports whether an error of this kind is that nothing happens any
// more, which incomplete control can feign.
func stuckKind(kind string) bool {
	switch kind {
	case artifact.KindDeadlock, artifact.KindPartialDeadlock, artifact.KindLeak:
		return true
	}
	return false
}

// exchange returns the plan with the two steps of a rendezvous that failed at
// step (from 1) in the other order, if that order was a guess. The mark goes:
// each order is tried once.
func exchange(plan artifact.Plan, step int) (artifact.Plan, bool) {
	for _, k := range []int{step - 1, step - 2} {
		if k < 0 || k+1 >= len(plan.Steps) || !plan.Steps[k].Swap {
			continue
		}
		out := plan
		out.Steps = slices.Clone(plan.Steps)
		out.Steps[k].Swap = false
		out.Steps[k], out.Steps[k+1] = out.Steps[k+1], out.Steps[k]
		return out, true
	}
	return plan, false
}

// narrow returns the plan with those goroutines only that were stuck where they
// were expected to be, if some were and others were not. Several stand at the
// operation of a query when one of them can never go on, and the trace does not
// say which.
func narrow(v *Verdict) (artifact.Plan, bool) {
	e := v.Plan.Expect
	if v.Status != NotReproduced || e.Kind != artifact.KindLeak && e.Kind != artifact.KindPartialDeadlock {
		return v.Plan, false
	}
	var stuck []artifact.At
	for _, at := range e.Goroutines {
		if slices.ContainsFunc(v.Goroutines, func(g Goroutine) bool {
			return g.State == artifact.StateBlocked && g.G == at.G && g.Site == at.Site
		}) {
			stuck = append(stuck, at)
		}
	}
	out := v.Plan
	out.Expect.Goroutines = stuck
	return out, len(stuck) > 0 && len(stuck) < len(e.Goroutines)
}

// difference says in what two runs of one plan disagree, "" if they come to the
// same end: the same verdict, by the same error of the same goroutine at the same
// place.
func difference(a, b *Verdict) string {
	switch {
	case a.Status != b.Status:
		return fmt.Sprintf("%s, then %s (%s)", a.Status, b.Status, b.Reason)
	case a.Kind != b.Kind || a.G != b.G || a.Site != b.Site:
		return fmt.Sprintf("%q in goroutine %s, then %q in goroutine %s", a.Kind, a.G, b.Kind, b.G)
	case a.Step != b.Step:
		return fmt.Sprintf("step %d, then step %d", a.Step, b.Step)
	}
	return ""
}

// variation says in what else two runs of one plan differ, on the way to the same
// end: something that the run does not choose has been different. "" is in nothing.
// Messages may hold addresses and numbers.
func variation(a, b *Verdict) string {
	for i := range min(len(a.Trace), len(b.Trace)) {
		if a.Trace[i] != b.Trace[i] {
			return fmt.Sprintf("step %d done was %v, then %v", i+1, stepWords(a.Trace[i]), stepWords(b.Trace[i]))
		}
	}
	if len(a.Trace) != len(b.Trace) {
		return fmt.Sprintf("%d steps, then %d", len(a.Trace), len(b.Trace))
	}
	same := func(x, y Goroutine) bool {
		return x.G == y.G && x.State == y.State && x.Op == y.Op && x.Object == y.Object && x.Site == y.Site
	}
	switch {
	case !slices.EqualFunc(a.Goroutines, b.Goroutines, same):
		return "other goroutines at the end"
	case !slices.EqualFunc(a.Races, b.Races, func(x, y orcruntime.Race) bool { return x.String() == y.String() }):
		return "other data races"
	case !slices.Equal(a.Choices, b.Choices):
		return "other choices of the environment"
	case plainMessage(a.Message) != plainMessage(b.Message):
		return fmt.Sprintf("message %q, then %q", a.Message, b.Message)
	case a.Log != b.Log:
		return "the execution logs differ"
	}
	return ""
}

var numbers = regexp.MustCompile(`0x[0-9a-f]+|[0-9]+`)

// plainMessage is a message without the numbers in it.
func plainMessage(s string) string { return numbers.ReplaceAllString(s, "#") }

func stepWords(s artifact.PlanStep) string {
	if s.G == timeStep {
		return "time passes"
	}
	return fmt.Sprintf("goroutine %s at %s case %d", s.G, s.Site, s.Case)
}
