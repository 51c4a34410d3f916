package pass

import (
	"context"
	"time"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orchestrate"
)

// AllPreemptions is for Bounding.Last: there is no last bound.
const AllPreemptions = orchestrate.AllPreemptions

// A program that has too many schedules is run under those with no preemption, then under
// those with one, and so on. That proves nothing, but says what was covered, and an error
// that it shows is one. boundingShare is the part of the time for that.
const boundingShare = 1.0 / 3

// fewPreemptions runs a program that everySchedule has not finished.
func (b *guardable) fewPreemptions(ctx context.Context, opts Options, rep reporter) (*Exhausted, error) {
	how := Exhaustion{Bounding: &Bounding{Last: AllPreemptions}, TotalSteps: max(opts.engines().steps/2, 1)}
	if at, ok := ctx.Deadline(); ok {
		if how.MaxTime = time.Until(at); how.MaxTime < time.Second {
			return nil, nil
		}
	}
	return b.exhaust(ctx, how, opts, rep)
}

// takeBounded takes up what runs with few preemptions have shown.
func (d *deep) takeBounded(x *Exhausted) {
	if _, ok := x.Covered.AllWithin(); ok {
		d.runs.Preemptions = &x.Covered
	}
	if x.Complete {
		d.runs.Exhaustive = &x.Covered
	}
	d.takeExhaustive(x)
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
