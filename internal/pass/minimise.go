package pass

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orchestrate"
)

// An error that is real shows by an interleaving that a search has come upon, or random
// choices: most of its switches mean nothing. Before it is reported, the program is run
// under interleavings with less to understand, see orchestrate.Minimise. One that the
// program follows to the same error takes the place of the first, which stays in the
// bundle. The findings are the same, and so are their verdicts, but that a test may turn
// out not to depend on time.

// minimiseShare is the share of the budget that all errors together have for this.
const minimiseShare = 0.1

// minimise minimises the interleavings of all errors that are real.
func (d *deep) minimise(ctx context.Context) error {
	var all []*suspect
	for _, s := range slices.Concat(d.cases, d.observed) {
		if s.outcome == artifact.Real && s.replay != nil && s.replay.Status == orchestrate.Reproduced && d.verdictWith(s, s.replay) != artifact.Note {
			all = append(all, s)
		}
	}
	if len(all) == 0 {
		return nil
	}
	defer d.rep.stage("minimise")()
	began := time.Now()
	for _, s := range all {
		limit := d.opts.Watchdog
		if d.opts.Budget > 0 {
			limit = min(limit, time.Duration(minimiseShare*float64(d.opts.Budget))-time.Since(began))
		}
		if limit <= 0 || cut(ctx, d.opts.soft) != "" {
			return nil
		}
		if err := d.minimiseOne(ctx, s, limit); err != nil {
			return err
		}
	}
	return nil
}

func (d *deep) minimiseOne(ctx context.Context, s *suspect, limit time.Duration) error {
	part, cancel := d.opts.late(ctx)
	defer cancel()
	m, err := d.binary.Minimise(part, s.replay, orchestrate.MinimiseOptions{
		RunOptions: d.limits(0), Runs: orchestrate.MinimiseRuns, TotalSteps: orchestrate.MinimiseSteps, MaxTime: limit,
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && cut(ctx, part) != "":
		return nil // the interleaving stays as it is
	case err != nil:
		return fmt.Errorf("minimise the interleaving of query %d: %w", s.query.Number, err)
	}
	s.minimised = &artifact.Minimised{
		Before: scheduleOf(m.Before), After: scheduleOf(m.After), Runs: m.Runs, Complete: m.Complete, Least: m.Least, Stopped: m.Stopped,
	}
	if m.Replay == nil {
		return nil
	}
	if what := d.otherError(s, m.Replay); what != "" {
		s.minimised.After, s.minimised.Stopped = s.minimised.Before, what
		return nil
	}
	if s.raced != nil {
		s.raced.sides, _ = d.sidesIn(s.raced, m.Replay)
	}
	s.minimised.Of = s.path()
	d.retrace(s, m.Replay)
	return d.keep(s)
}

func scheduleOf(c orchestrate.Cost) artifact.Schedule {
	return artifact.Schedule{Switches: c.Switches, Goroutines: c.Goroutines, Steps: c.Steps, Held: c.Held, Stalls: c.Stalls, Seeds: c.Seeds, Values: c.Values}
}

// otherError says why the replay of another plan would make another finding of a suspect,
// "" if it would not.
func (d *deep) otherError(s *suspect, v *orchestrate.Verdict) string {
	if s.query.Kind == artifact.KindTestFailure {
		was, text, _ := d.failureIn(s.replay.Stdout)
		is, now, _ := d.failureIn(v.Stdout)
		if was.File != is.File || was.Line != is.Line {
			return fmt.Sprintf("it fails otherwise: %s, not %s", now, text)
		}
	}
	if s.raced != nil {
		if _, ok := d.sidesIn(s.raced, v); !ok {
			return "other statements race"
		}
	}
	was, is := d.verdictWith(s, s.replay), d.verdictWith(s, v)
	if was != is && !(was == artifact.TimingDependent && is == artifact.Real) {
		return fmt.Sprintf("it would be %s, not %s", is, was)
	}
	return ""
}

// verdictWith is the verdict of the finding that a replay makes of a suspect which is
// real.
func (d *deep) verdictWith(s *suspect, v *orchestrate.Verdict) string {
	f := finding(s.query, d.side)
	f.Verdict = artifact.Real
	d.describe(&f, v)
	d.stalled(&f, v)
	d.gradeLeak(&f, v)
	return f.Verdict
}

// sidesIn are the sides of a data race in another run.
func (d *deep) sidesIn(r *raced, v *orchestrate.Verdict) ([]artifact.FindingGoroutine, bool) {
	for _, race := range v.Races {
		if sides := orchestrate.Accesses(d.side, race); pair(sides) == pair(r.sides) {
			return sides, true
		}
	}
	return r.sides, false
}
