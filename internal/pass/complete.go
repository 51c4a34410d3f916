package pass

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/parse"
	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/translate"
)

// Completeness says whether a model can do what its program does.
type Completeness struct {
	// Runs counts the runs that were recorded, Counts those of each status of
	// orchestrate.Following.
	Runs   int
	Counts map[string]int
	// Departures are the runs that the model did not follow to the end, by
	// seed, at most one for each status and step.
	Departures []Departure
	Sidecar    *artifact.Sidecar
}

// Departure is a run that the model did not follow.
type Departure struct {
	Seed uint64
	*orchestrate.Following
	Recording *orchestrate.Recording
}

// CompleteOptions are for Complete.
type CompleteOptions struct {
	// Runs is how many there are, Seed that of the first; every other one has
	// the next.
	Runs int
	Seed uint64
	// MaxSteps cuts runs; 0 is the runtime's default. What was cut off is not
	// compared.
	MaxSteps int
}

// Complete runs a program under random schedules and follows each run in the
// Proto model. A run that is rejected is a defect of the translator: the program
// does what no search of the model can find.
func Complete(ctx context.Context, spec source.Spec, how CompleteOptions, opts Options) (_ *Completeness, err error) {
	defer caught(&err)
	if how.Runs < 1 || how.MaxSteps < 0 {
		return nil, &OptionError{Option: "runs", Reason: fmt.Sprintf("%d runs of %d steps", how.Runs, how.MaxSteps)}
	}
	p, opts, rep, close, err := loadToRun(ctx, spec, opts)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, close()) }()
	model, _, err := p.fit(ctx, opts, true, rep)
	if err != nil {
		return nil, err
	}
	return p.complete(ctx, model, how, opts, rep)
}

// complete is Complete with a model.
func (p *program) complete(ctx context.Context, model *translate.Model, how CompleteOptions, opts Options, rep reporter) (_ *Completeness, err error) {
	f, err := orchestrate.NewFollower(ctx, &model.Sidecar, model.Network)
	if err != nil {
		return nil, err
	}
	guards := parse.Options{Accesses: model.Sidecar.Accesses, EveryLine: opts.Model.EveryLine}
	b, diagnostics, err := p.instrument(ctx, opts, &model.Sidecar, guards, nil, rep)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	diagnostics = slices.DeleteFunc(diagnostics, func(d parse.Diagnostic) bool { return d.Number }) // which have them
	defer rep.stage("follow")()
	out := &Completeness{Counts: map[string]int{}, Sidecar: &model.Sidecar}
	type kind struct {
		status string
		step   artifact.PlanStep
	}
	seen := map[kind]bool{}
	follow := func(n uint64, rec *orchestrate.Recording) error {
		got, err := f.Follow(ctx, rec)
		if err != nil {
			return fmt.Errorf("run with seed %d: %w", n, err)
		}
		if got.Status == orchestrate.Rejected && len(diagnostics) > 0 {
			got.Status = orchestrate.Undecided
			got.Reason += "; operations without guards: " + diagnostics[0].String()
		}
		out.Runs++
		out.Counts[got.Status]++
		step := got.Want
		step.Occ = 0
		if at := (kind{got.Status, step}); got.Status != orchestrate.Followed && !seen[at] {
			seen[at] = true
			out.Departures = append(out.Departures, Departure{n, got, rec})
		}
		return nil
	}
	_, err = b.Explore(ctx, orchestrate.ExploreOptions{
		Runs: how.Runs, Seed: how.Seed, NoReplay: true, Recorded: follow,
		RunOptions: orchestrate.RunOptions{Timeout: opts.Watchdog, MaxSteps: how.MaxSteps},
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}
