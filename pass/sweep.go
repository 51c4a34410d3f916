package pass

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/check"
	"github.com/vtrace/vtrace/orchestrate"
	"github.com/vtrace/vtrace/sites"
	"github.com/vtrace/vtrace/translate"
)

// SweepRuns is how many runs under random schedules a deep pass does of a program
// that its model does not cover: a search was not finished, a bound was reached,
// or something is outside the model. Time passes in them only when nothing else
// can happen. Errors that they show, and that the program shows again, are real;
// that they show none says nothing.
const SweepRuns = 200

// Each of these runs is cut after sweepSteps steps, and there are no more after
// sweepTotal, nor more than sweepProcesses processes where runs need their own.
const (
	sweepSteps     = 20_000
	sweepTotal     = 400_000
	sweepProcesses = 20
)

// uncovered reports whether the answers of the model leave out what the program
// may do.
func (d *deep) uncovered(second *artifact.Bundle) bool {
	return len(limits(second.Queries(), second.Verdicts(), d.side)) > 0
}

// sweep runs a program that the model does not cover.
func (d *deep) sweep(ctx context.Context, second *artifact.Bundle) error {
	defer d.rep.stage("explore")()
	limited, cancel := context.WithTimeout(ctx, d.opts.Watchdog)
	defer cancel()
	limits := orchestrate.RunOptions{Timeout: d.opts.Watchdog, MaxSteps: sweepSteps}
	x, err := d.binary.Explore(limited, orchestrate.ExploreOptions{
		Runs: SweepRuns, Patient: true, NoReplay: true, TotalSteps: sweepTotal, MaxProcesses: sweepProcesses, RunOptions: limits,
	})
	var s artifact.Sweep
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil:
	case errors.Is(err, context.DeadlineExceeded):
		s.Stopped = fmt.Sprintf("they took more than %v", d.opts.Watchdog)
	default:
		if s.Stopped, err = d.noRuns(ctx, err, limits); err != nil {
			return err
		}
	}
	if x != nil {
		s.Runs, s.Schedules = x.Runs, x.Schedules
		switch {
		case x.Runs == SweepRuns:
		case x.Processes == sweepProcesses:
			s.Stopped = fmt.Sprintf("%d processes were needed", x.Processes)
		default:
			s.Stopped = fmt.Sprintf("they had %d steps", sweepTotal)
		}
		for _, e := range x.Ends {
			switch e.Status {
			case orchestrate.Limit:
				s.Limited += e.Count
			case orchestrate.Unsupported:
				s.Uncontrolled += e.Count
			case orchestrate.Completed:
				if err := d.shown(ctx, second, e, x.Runs); err != nil {
					return err
				}
			}
		}
	}
	d.out.SetSweep(&s)
	return nil
}

// shown makes findings of the end of a run, if it is an error that is not known.
func (d *deep) shown(ctx context.Context, second *artifact.Bundle, e orchestrate.End, runs int) error {
	at := []artifact.At{{G: e.G, Site: e.Site}}
	switch {
	case e.Kind == artifact.KindDeadlock:
		at = slices.DeleteFunc(slices.Clone(e.Plan.Expect.Goroutines), func(at artifact.At) bool { return at.G != "0" })
	case e.Kind == artifact.KindLeak && d.target.IsTest():
		at = slices.Clone(e.Plan.Expect.Goroutines)
		slices.SortStableFunc(at, func(a, b artifact.At) int { return cmp.Compare(a.Site, b.Site) })
		at = slices.CompactFunc(at, func(a, b artifact.At) bool { return a.Site == b.Site })
	case e.Kind == artifact.KindTestFailure && e.Count < runs:
		// One that fails under every schedule does not fail for it.
	case crash(e.Kind):
	default:
		return nil
	}
	for _, a := range at {
		if err := d.prove(ctx, second, e, a); err != nil {
			return err
		}
	}
	return nil
}

// prove replays a run that ended in an error of a goroutine. If the program does
// the same again, the error is real.
func (d *deep) prove(ctx context.Context, second *artifact.Bundle, e orchestrate.End, at artifact.At) error {
	site, ok := d.siteOf(at.Site)
	failure := e.Kind == artifact.KindTestFailure
	if !ok && !failure || d.known(e.Kind, site.ID) {
		return nil
	}
	operation := d.program.sites.Site(sites.ID(site.ID)).Kind
	category := translate.CategoryOf(e.Kind, operation)
	if asked := d.opts.Model.Categories; asked != nil && !slices.Contains(asked, category) {
		return nil
	}
	plan := artifact.Plan{Steps: e.Plan.Steps, Expect: artifact.Expect{Kind: e.Kind}}
	if !failure {
		plan.Expect.Goroutines = []artifact.At{at}
	}
	v, err := orchestrate.Replay(ctx, d.binary, plan, orchestrate.RunOptions{Timeout: d.opts.Watchdog})
	if err != nil {
		return fmt.Errorf("replay of a run under a random schedule: %w", err)
	}
	if v.Status != orchestrate.Reproduced || e.Kind == artifact.KindLeak && v.Restless {
		return nil // it does not come out the same, or those left may go on
	}
	reason := fmt.Sprintf("shown by run %d under random schedules, not by a trace of the model", e.Seed+1)
	if n := satisfied(second, e.Kind, site.ID); n != 0 {
		reason = fmt.Sprintf("shown by run %d under random schedules; the model has no such trace (query %d is satisfied)", e.Seed+1, n)
	}
	description := e.Kind
	if stuck(e.Kind) {
		description = translate.DescribeStuck(e.Kind, operation, d.target.IsTest())
	}
	q := d.ask(artifact.Query{
		Category: category, Kind: e.Kind, Site: site.ID, File: site.File, Line: site.Line, Col: site.Col, Description: description,
	})
	s := d.suspectOf(q, v)
	s.conclude(artifact.Real, reason)
	return d.keep(s)
}

// satisfied is the number of a query after an error at a site that is satisfied, 0 if
// there is none.
func satisfied(b *artifact.Bundle, kind string, site int) int {
	is := map[int]bool{}
	for _, v := range b.Verdicts() {
		is[v.Query] = v.Result == check.True.String()
	}
	for _, q := range b.Queries() {
		if is[q.Number] && q.Kind == kind && q.Site == site && site != 0 {
			return q.Number
		}
	}
	return 0
}
