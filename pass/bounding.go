package pass

import (
	"context"
	"time"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/orchestrate"
)

// boundingShare is the part of the rest of the budget in which a check runs the schedules
// with few preemptions of a program that has too many. Without a budget, boundingSteps of
// all runs bound that.
const (
	boundingShare = 1.0 / 3
	boundingSteps = exhaustSteps
)

// bound runs the program of a deep pass under the schedules with no preemption, then
// under those with one, and so on, if it is too large for all of them. That proves
// nothing, but says what was covered, and an error that it shows is one.
func (d *deep) bound(ctx context.Context) error {
	if e := d.runs.Exhaustive; e == nil || e.Complete || e.Schedules == 0 || d.certain() {
		return nil
	}
	how := Exhaustion{Bounding: &orchestrate.Bounding{Last: orchestrate.AllPreemptions}, TotalSteps: boundingSteps}
	part, cancel := d.opts.within(ctx, 1)
	defer cancel()
	if at, ok := part.Deadline(); ok {
		if how.MaxTime = time.Duration(boundingShare * float64(time.Until(at))); how.MaxTime < time.Second {
			return nil
		}
		var done context.CancelFunc
		part, done = context.WithTimeout(part, how.MaxTime)
		defer done()
	}
	x, b, err := d.program.exhaust(part, d.side, d.side.Accesses, how, d.opts, d.rep)
	if err == nil {
		err = b.Close()
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case x == nil:
		return nil // it could not begin
	case err != nil && cut(ctx, part) == "":
		return err
	}
	if _, ok := x.Covered.AllWithin(); ok {
		d.runs.Preemptions = &x.Covered
	}
	if x.Complete {
		d.runs.Exhaustive = &x.Covered
	}
	d.takeExhaustive(x)
	return nil
}

// preemptions is how far an exploration has come with each bound.
func preemptions(list []orchestrate.Bounded) (out []artifact.Preemptions) {
	for _, b := range list {
		if b.Runs > 0 || b.Cut > 0 { // else it was not begun
			out = append(out, artifact.Preemptions{AtMost: b.Preemptions, Schedules: b.Runs, Cut: b.Cut, Complete: b.Complete})
		}
	}
	return out
}
