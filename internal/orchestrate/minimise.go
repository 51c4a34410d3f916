package orchestrate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orcruntime"
	"github.com/vtrace/vtrace/internal/scratch"
)

// Cost is how much there is to understand of a schedule, of the runtime.
type Cost = orcruntime.Cost

// MinimiseRuns and MinimiseSteps are enough for most errors: what they cut is mostly the
// search for the least number of switches, not that for a schedule of which nothing can
// be left out.
const (
	MinimiseRuns  = 2000
	MinimiseSteps = 300_000
)

// MinimiseOptions bound Minimise.
type MinimiseOptions struct {
	// RunOptions bound each run; Timeout is for the way from one guard to the next.
	RunOptions
	// Runs, TotalSteps of all runs, and MaxTime bound the search; 0 is no bound. What
	// has been found by then is the result.
	Runs, TotalSteps int
	MaxTime          time.Duration
}

// Minimised is a schedule with less to understand than another one that ends in the same
// error.
type Minimised struct {
	// Replay is what the program has shown when it followed the schedule, in processes
	// of its own, twice. It is nil if there is nothing better than what there was.
	Replay *Verdict
	// Before and After are the costs of the plans: the same if there is nothing better.
	Before, After Cost
	// Runs were needed, with so many Steps.
	Runs, Steps int
	// Complete and Least are as in orcruntime.Minimised.
	Complete, Least bool
	// Stopped says why the search ended early, or why its result does not count; "" if
	// neither is so.
	Stopped string
}

// minimiseJob is the part of a job for Minimise, see orcruntime.Drive.
type minimiseJob struct {
	Runs, Steps     int
	Time, Watchdog  time.Duration
	Records, Result string
}

// Minimise looks for a schedule with less to understand that ends in the error that v,
// the replay of a plan, has shown, see orcruntime.Minimise. All candidates are run in one
// process, and the best is replayed as plans are. If it does not show the same error
// then, the result says so, and the plan of v stands.
func (b *Binary) Minimise(ctx context.Context, v *Verdict, opts MinimiseOptions) (_ *Minimised, err error) {
	if opts.Timeout <= 0 {
		opts.Timeout = defaultTimeout
	}
	dir, err := scratch.Make("minimise")
	if err != nil {
		return nil, fmt.Errorf("minimise: %w", err)
	}
	defer func() { err = errors.Join(err, scratch.Remove(dir)) }()
	job := job{Plan: v.Plan, MaxSteps: opts.MaxSteps, Minimise: &minimiseJob{
		Runs: opts.Runs, Steps: opts.TotalSteps, Time: opts.MaxTime, Watchdog: opts.Timeout,
		Records: filepath.Join(dir, "records"), Result: filepath.Join(dir, "result"),
	}}
	cmd, err := b.command(job, dir, map[string]string{envPlan: filepath.Join(dir, "job")})
	if err != nil {
		return nil, err
	}
	watched, stop := watchGrowth(ctx, job.Minimise.Records, 2*opts.Timeout)
	runErr := cmd.run(watched, 0)
	stop()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var found orcruntime.Minimised
	if err := readResult(job.Minimise.Result, &found); err != nil {
		if errors.Is(err, os.ErrNotExist) {
			err = errNoResult
		}
		// A program may end its process in any of its runs.
		return &Minimised{Stopped: fmt.Sprintf("the process ended before anything was found: %v", errors.Join(runErr, err))}, nil
	}
	out := &Minimised{
		Before: found.Before, After: found.After, Runs: found.Runs, Steps: found.Steps,
		Complete: found.Complete, Least: found.Least, Stopped: found.Left,
	}
	if out.After.Compare(out.Before) >= 0 {
		return out, nil
	}
	again, err := Replay(ctx, b, minimal(found.Plan, v.Plan.Expect), opts.RunOptions)
	if err != nil {
		return nil, fmt.Errorf("minimise: %w", err)
	}
	if what := unlike(v, again); what != "" {
		out.After, out.Stopped = out.Before, "what was found does not show the same error in a process of its own: "+what
		return out, nil
	}
	out.Replay = again
	return out, nil
}

// minimal is a plan of the runtime as one of a bundle.
func minimal(p orcruntime.Plan, e artifact.Expect) artifact.Plan {
	out := artifact.Plan{Steps: []artifact.PlanStep{}, Expect: e, Seed: p.Seed, Minor: p.Minor}
	for _, s := range p.Steps {
		out.Steps = append(out.Steps, artifact.PlanStep{G: s.G, Site: s.Site, Occ: s.Occ, Case: s.Case})
	}
	for _, c := range p.Choices {
		out.Choices = append(out.Choices, artifact.EnvChoice(c))
	}
	return out
}

// unlike says in what the replay of another plan does not show the same error, "" if it
// does.
func unlike(v, other *Verdict) string {
	switch {
	case other.Status != Reproduced:
		return other.Reason
	case v.Plan.Expect.Kind == artifact.KindRace: // which names both accesses
		return ""
	case other.Kind != v.Kind || other.G != v.G || other.Site != v.Site:
		return fmt.Sprintf("%q in goroutine %s, not %q in goroutine %s", other.Kind, other.G, v.Kind, v.G)
	}
	return ""
}
