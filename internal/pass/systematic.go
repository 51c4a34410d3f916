package pass

import (
	"context"

	"github.com/vtrace/vtrace/internal/orchestrate"
)

// The first runs of a deep pass are under schedules no two of which are equivalent, as
// those of the second engine are. A small program has few, so that its errors show in the
// first of them, where random runs would need many: they do the same again and again. Of
// a large one these are no more than its first runs. They prove nothing: the program has
// the guards of its model, and not one at every statement that may race.
//
// Where time could have passed in them while somebody could go on as many follow in which it
// does.
//
// If the first schedule ends in an error those near to it do, too, and only random runs
// follow. So it is if it has not come to its end within the steps of a run: what others
// would do otherwise lies near the end of what they do.
const (
	systematicRuns      = 16
	systematicScouts    = 4 // those that show which durations the clock is compared with
	systematicSteps     = 50_000
	systematicProcesses = 4
	// reuseRuns are those that use a WaitGroup again too early, see reuse.
	reuseRuns = 16
)

// systematic does these runs, and takes up how they ended.
func (d *deep) systematic(ctx context.Context) error {
	defer d.rep.stage("explore")()
	if err := d.inOrder(ctx); err != nil || !d.reused || d.long {
		return err
	}
	return d.reuse(ctx)
}

// inOrder does those that are not equivalent.
func (d *deep) inOrder(ctx context.Context) error {
	_, limited, cancel := d.opts.watched(ctx, systematicShare)
	defer cancel()
	how := orchestrate.ExhaustOptions{
		RunOptions: d.limits(runSteps), Awaits: d.program.awaits(), Misuse: true,
		MaxRuns: 1, TotalSteps: systematicSteps, MaxProcesses: systematicProcesses,
	}
	for _, id := range d.side.Accesses {
		if s, ok := d.side.Site(id); ok { // any two may be on the same memory
			how.Accesses = append(how.Accesses, orchestrate.AccessGuard{Site: s.Key, Group: 1, Writes: true})
		}
	}
	x, err := d.binary.Exhaust(limited, how)
	if d.long = x != nil && err == nil && x.Runs > 0 && x.Limited == x.Runs; d.long {
		d.takeSystematic(x, true)
		return ctx.Err()
	}
	if x != nil && err == nil && !x.Complete && len(x.Rest) > 0 && len(x.Ends) == 1 && x.Ends[0].Kind == "" {
		first := x
		how.Frontier, how.MaxRuns = first.Rest, systematicRuns-first.Runs
		if x, err = d.binary.Exhaust(limited, how); x != nil {
			x.Join(first)
		} else {
			x = first
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if x != nil {
		d.takeSystematic(x, true)
	}
	if err != nil || x == nil {
		return nil // the random runs say why there can be none, or that there is no time
	}
	d.timed = x.Timed
	if !x.Timed || len(d.ends) > 0 {
		return nil
	}
	// Durations that the clock turns out to be compared with make more runs different.
	how.Frontier, how.Stalls = nil, -1
	for _, how.MaxRuns = range []int{systematicScouts, systematicRuns - systematicScouts} {
		if x, err = d.binary.Exhaust(limited, how); x != nil {
			d.takeSystematic(x, false)
		}
		if x == nil || err != nil {
			break
		}
		d.durations = union(d.durations, x.Durations)
		if len(d.ends) > 0 || len(d.durations) == 0 && x.Complete {
			break
		}
		if how.Frontier = x.Rest; len(d.durations) > 0 {
			how.Frontier, how.Durations = nil, d.durations
		}
	}
	return ctx.Err()
}

// takeSystematic takes up how runs ended.
func (d *deep) takeSystematic(x *orchestrate.Exhaustive, patient bool) {
	before := d.runs.Systematic
	d.runs.Systematic += x.Runs
	d.reused = d.reused || x.Reused
	for _, e := range x.Ends {
		d.endsWell = d.endsWell || endsWell(e)
		d.takeRemaining(e)
		if isError(e) {
			d.ends = append(d.ends, ended{End: e, of: e.Count + 1, patient: patient, number: before + int(e.Seed) + 1, systematic: true})
		}
	}
}

// reuse does runs in which a WaitGroup is used again before those who wait for it have come back, if one was seen to
// be added to while others may wait for it. No model has the moments in which that is an error, and it takes several
// orders of steps at once: of random schedules one of a hundred has them.
func (d *deep) reuse(ctx context.Context) error {
	_, limited, cancel := d.opts.watched(ctx, systematicShare)
	defer cancel()
	how := orchestrate.ExploreOptions{
		RunOptions: d.limits(runSteps), Strategy: orchestrate.StrategyReuse, Patient: true, NoReplay: true,
		Runs: reuseRuns, TotalSteps: systematicSteps, MaxProcesses: systematicProcesses,
	}
	x, _ := d.binary.Explore(limited, how) // the random runs say why there can be none
	if x != nil && ctx.Err() == nil {
		d.take(x, how, d.runs.Systematic+d.runs.Runs)
		d.runs.Systematic += x.Runs
	}
	return ctx.Err()
}
