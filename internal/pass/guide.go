package pass

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/explain"
	"github.com/vtrace/vtrace/internal/orchestrate"
)

// GuidedRuns is how many runs a deep pass does for a possible error that the
// replays have left open. They go along with the plans that the program did not
// follow, as far as it can, and otherwise are random. If one shows the error,
// its steps are replayed as those of a trace are, and the error is real. That
// none does says nothing.
const GuidedRuns = 400

// Each of these runs is cut after guidedSteps steps, and where one needs a
// process of its own there are guidedProcesses.
const (
	guidedSteps     = 5000
	guidedProcesses = 40
)

// guide looks for the errors that are left open.
func (d *deep) guide(ctx context.Context) error {
	var open []*suspect
	for _, s := range d.cases {
		if _, ok := d.sought(s); ok && s.open && !d.same(s) {
			open = append(open, s)
		}
	}
	if len(open) == 0 {
		return nil
	}
	defer d.rep.stage("explore")()
	for len(open) > 0 {
		first := open[0]
		var group []*suspect
		open = slices.DeleteFunc(open, func(s *suspect) bool {
			same := s.query.Kind == first.query.Kind && s.query.Site == first.query.Site
			if same {
				group = append(group, s)
			}
			return same
		})
		if err := d.guideTo(ctx, group); err != nil {
			return err
		}
	}
	return nil
}

// sought is what a run must show for the error of a suspect. It is false if a run
// cannot show it.
func (d *deep) sought(s *suspect) (artifact.Expect, bool) {
	q := s.query
	site, known := d.side.Site(q.Site)
	e := artifact.Expect{Kind: q.Kind, Goroutines: []artifact.At{{Site: site.Key}}}
	switch q.Kind {
	case artifact.KindTestFailure:
		e.Goroutines, known = nil, true
	case artifact.KindDeadlock:
		e.Goroutines[0].G = "0"
	case artifact.KindPartialDeadlock:
		// The entry function can go on: it returns.
		e.Kind = artifact.KindLeak
	case artifact.KindBound, artifact.KindImprecise, artifact.KindRace, artifact.KindNeverReached:
		return e, false
	}
	return e, known
}

// guideTo looks for an error that queries of several processes ask for.
func (d *deep) guideTo(ctx context.Context, group []*suspect) error {
	s := group[0]
	expect, _ := d.sought(s)
	var guides [][]artifact.PlanStep
	for _, o := range group {
		guides = append(guides, o.guides...)
	}
	part, limited, cancel := d.opts.watched(ctx, replayShare)
	defer cancel()
	if why := cut(ctx, part); why != "" {
		hidden(group, why)
		return nil
	}
	runs := GuidedRuns
	if d.long { // the error may lie behind more steps than these have
		runs /= 8
	}
	x, err := d.binary.Explore(limited, orchestrate.ExploreOptions{
		Runs: runs, Expect: expect, Guides: guides, NoReplay: true, MaxProcesses: guidedProcesses,
		RunOptions: d.limits(guidedSteps),
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && cut(ctx, part) != "":
		hidden(group, cut(ctx, part))
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		hidden(group, fmt.Sprintf("runs under other schedules took more than %v", d.opts.Watchdog))
		return nil
	case err != nil:
		return fmt.Errorf("runs for query %d: %w", s.query.Number, err)
	case x.Shown == nil:
		hidden(group, fmt.Sprintf("%d runs under other schedules did not show it", x.Runs))
		return nil
	}
	plan := x.Shown.Plan
	plan.Expect = artifact.Expect{Kind: s.query.Kind}
	for _, at := range x.Shown.Plan.Expect.Goroutines {
		if s.query.Kind == artifact.KindDeadlock || slices.ContainsFunc(expect.Goroutines, func(o artifact.At) bool { return o.Site == at.Site }) {
			plan.Expect.Goroutines = append(plan.Expect.Goroutines, at)
		}
	}
	if !explain.Stuck(s.query.Kind) {
		plan.Expect.Goroutines = nil
		for _, at := range expect.Goroutines {
			plan.Expect.Goroutines = append(plan.Expect.Goroutines, artifact.At{G: x.Shown.Verdict.G, Site: at.Site})
		}
	}
	v, err := d.confirm(ctx, evidence{plan: plan, origin: fromGuided, query: s.query.Number})
	if err != nil {
		return err
	}
	s.attempts++
	d.rep.send(Replayed{Query: s.query.Number, Attempt: s.attempts, Outcome: v.Status})
	if v.Status != orchestrate.Reproduced {
		hidden(group, fmt.Sprintf("run %d under other schedules showed it, but not again: %s", x.Runs, v.Reason))
		return nil
	}
	tried := s.attempts - 1
	s.run = x.Runs
	d.retrace(s, v)
	s.conclude(artifact.Real, fmt.Sprintf("shown by run %d under schedules near the traces of the model, none of which the program followed (%d replayed)", x.Runs, tried))
	if err := d.keep(s); err != nil {
		return err
	}
	for _, o := range group[1:] {
		d.same(o)
	}
	return nil
}

// hidden adds to the reasons why an error is not decided.
func hidden(group []*suspect, reason string) {
	for _, s := range group {
		s.reason += "; " + reason
	}
}
