package pass

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orchestrate"
)

// Where a run has done what its model cannot, the stack of the goroutine says which
// call or condition the translator took for impossible. The check begins again with a
// model that is completed by that, as often as maxCompleted says, and as long as half of
// the budget is left. What is still a gap then is reported as one.
const (
	maxCompleted = 3
	// maxDepartures is how many places of one round are looked at.
	maxDepartures = 5
)

// departure is a run that its model does not follow.
type departure struct {
	run  int
	rec  *orchestrate.Recording
	want artifact.PlanStep
	step int // from 1
}

// errCompleted ends a check that begins again with a completed model.
type errCompleted struct{ completions []artifact.Completion }

func (e *errCompleted) Error() string { return "the model has been completed" }

// departed keeps where a run leaves the model, once for each place.
func (c *conformance) departed(run int, r *orchestrate.Recording, got *orchestrate.Following) {
	same := func(d departure) bool { return d.want.Site == got.Want.Site }
	if got.Want.G == "" || got.Step < 1 || len(c.departures) >= maxDepartures || slices.ContainsFunc(c.departures, same) {
		return
	}
	c.departures = append(c.departures, departure{run, r, got.Want, got.Step})
}

// complete looks for what the model lacks. If a model with that can be made, the check
// is to begin again.
func (d *deep) complete(ctx context.Context, c *conformance) error {
	if !d.opts.completing || d.opts.Model.Strict || d.opts.Budget > 0 && time.Since(d.opts.start) > d.opts.Budget/2 {
		return nil
	}
	defer d.rep.stage("complete")()
	prepared, err := d.program.prepare(ctx, d.opts)
	if err != nil {
		return err
	}
	all := slices.Clone(d.opts.Model.Completions)
	for _, p := range c.departures {
		before, at, err := d.stacks(ctx, p)
		if err != nil {
			return err
		}
		for _, m := range prepared.Missed(before, at, p.run) {
			if !slices.ContainsFunc(all, m.Same) {
				all = append(all, m)
			}
		}
	}
	if len(all) == len(d.opts.Model.Completions) {
		return nil
	}
	opts := d.opts
	model := *opts.Model
	model.Completions = all
	opts.Model = &model
	m, err := d.program.translate(ctx, opts, true, d.side.Bounds)
	why := ""
	if err != nil {
		why = err.Error()
	} else if out := m.Sidecar.Outside(); out != nil {
		why = out.Reason
	}
	if why != "" {
		// The model stays as it is, and its gaps are reported.
		for i := range c.out.Gaps {
			c.out.Gaps[i].Reason += "; no model could be made that can: " + why
		}
		return ctx.Err()
	}
	return &errCompleted{all}
}

// stacks are those of the goroutine that leaves the model: at the guard where it does,
// and at the one before. Nil is one that is not known.
func (d *deep) stacks(ctx context.Context, p departure) (before, at []string, err error) {
	steps := p.rec.Plan.Steps
	if at, err = d.stackAt(ctx, p.rec.Plan, p.step-1, p.want); err != nil {
		return nil, nil, err
	}
	for i := p.step - 2; i >= 0; i-- {
		if steps[i].G == p.want.G {
			before, err = d.stackAt(ctx, p.rec.Plan, i, steps[i])
			break
		}
	}
	return before, at, err
}

// stackAt repeats the first steps of a run, and returns the stack of the goroutine of
// the next one at its guard.
func (d *deep) stackAt(ctx context.Context, plan artifact.Plan, steps int, next artifact.PlanStep) ([]string, error) {
	plan.Steps = append(slices.Clone(plan.Steps[:steps]), artifact.PlanStep{G: nobody, Site: next.Site})
	plan.Expect = artifact.Expect{}
	late, cancel := d.opts.late(ctx)
	defer cancel()
	v, err := d.binary.Run(late, plan, d.limits(0))
	switch {
	case err != nil && ctx.Err() == nil && late.Err() != nil:
		return nil, nil
	case err != nil:
		return nil, err
	}
	for _, g := range v.Goroutines {
		if g.G == next.G && g.Site == next.Site {
			return g.Stack, nil
		}
	}
	return nil, nil
}

// nobody is a goroutine that no run has: its step ends a run.
const nobody = "nobody"

// checkCompleted checks a program by rounds, as long as its model is completed.
func checkCompleted(opts Options, round func(opts Options) (*artifact.Bundle, error)) (*artifact.Bundle, error) {
	begun := time.Now()
	for n := 0; ; n++ {
		now := opts
		now.completing = n < maxCompleted
		if opts.Budget > 0 && n > 0 {
			now.Budget = max(opts.Budget-time.Since(begun), opts.Budget/20)
		}
		b, err := round(now)
		var more *errCompleted
		if !errors.As(err, &more) {
			return b, err
		}
		model := opts.ownModel()
		model.Completions = more.completions
		opts.Model = &model
	}
}
