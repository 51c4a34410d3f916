package orchestrate

import (
	"context"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orcruntime"
)

// Recording is a run by choices of its own.
type Recording struct {
	// Verdict is what was observed; its Status is Completed, Limit or
	// Unsupported, or Reproduced if that was to be shown.
	Verdict *Verdict
	// Plan makes the program do the same once more: the steps that were done,
	// and what was observed as its expectation.
	Plan artifact.Plan
}

// Record runs the program once without a plan: by random choices with the given
// seed or, if it is nil, always letting the first goroutine go on that can.
func (b *Binary) Record(ctx context.Context, seed *uint64, opts RunOptions) (*Recording, error) {
	return b.record(ctx, job{MaxSteps: opts.MaxSteps, Random: seed, Durations: opts.Durations}, opts)
}

// Follow runs the program once by a plan that says only what matters: a goroutine passes guards that no step
// names for it, and time passes where a step needs it. Behind the plan the first goroutine goes on that can. If the
// program leaves the plan the Status of the verdict is Infeasible; its Kind may be an error all the same,
// in which the program has ended before.
func (b *Binary) Follow(ctx context.Context, plan artifact.Plan, opts RunOptions) (*Recording, error) {
	return b.record(ctx, job{Plan: plan, MaxSteps: opts.MaxSteps, Elastic: true, PassOthers: true, Durations: opts.Durations}, opts)
}

func (b *Binary) record(ctx context.Context, j job, opts RunOptions) (*Recording, error) {
	v, result, err := b.run(ctx, j, opts)
	if err != nil {
		return nil, err
	}
	v.completed(result)
	return &Recording{Verdict: v, Plan: recorded(result, result.Observed())}, nil
}

// completed judges a run by choices of its own that came to its end: one that was
// to show something and has not is like one that was to show nothing.
func (v *Verdict) completed(r orcruntime.Result) {
	switch r.Verdict {
	case orcruntime.Completed, orcruntime.NotReproduced:
		v.Status = Completed
	}
}

// recorded is the plan that repeats a run.
func recorded(r orcruntime.Result, e orcruntime.Expect) artifact.Plan {
	p := artifact.Plan{Steps: []artifact.PlanStep{}, Expect: artifact.Expect{Kind: e.Kind}}
	for _, s := range r.Trace {
		p.Steps = append(p.Steps, artifact.PlanStep{G: s.G, Site: s.Site, Occ: s.Occ, Case: s.Case})
	}
	p.Seed, p.Choices, p.Minor = r.Seed, choices(r), r.Minor
	for _, at := range e.Goroutines {
		p.Expect.Goroutines = append(p.Expect.Goroutines, artifact.At{G: at.G, Site: at.Site})
	}
	return p
}

// choices are those of the environment that a run has recorded.
func choices(r orcruntime.Result) (out []artifact.EnvChoice) {
	for _, c := range r.Choices {
		out = append(out, artifact.EnvChoice(c))
	}
	return out
}
