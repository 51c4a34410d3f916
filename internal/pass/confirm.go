package pass

import (
	"context"
	"fmt"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orchestrate"
)

// Whatever has led to an error, it is real only if the program shows it when it is made to. What a search, a run or a
// replay has to say for it is evidence: a plan, and where that comes from.

// evidence is a plan that is said to lead to an error.
type evidence struct {
	plan   artifact.Plan
	origin origin
	query  int // that it is for, 0 for none
	// variants are what the plan may be in the program of the bundle, where it was made by another instrumented form of it.
	variants []artifact.Plan
	// goesOn: the plan has steps behind the error, which end a replay before it can be told from a plan that was not followed.
	goesOn bool
}

// origin says what has led to a plan.
type origin string

const (
	fromTrace  origin = "a trace of the model"
	fromReplay origin = "what another replay has shown"
	fromGuided origin = "a run near the traces of the model"
	fromRun    origin = "a run"
	fromRace   origin = "a data race"
	fromCalm   origin = "a run without stalls"
)

// watched reports whether replays of the plan are looked at for data races: what has led to the others was.
func (o origin) watched() bool { return o == fromTrace || o == fromGuided }

// environments is how many environments the plan is replayed in, besides the plain one: a run has had its own.
func (o origin) environments() int {
	if o == fromTrace {
		return replayEnvironments
	}
	return 0
}

// replayEnvironments is how many environments a trace of the model is replayed in,
// besides the plain one, where the program asks its environment for something.
const replayEnvironments = 4

// confirm has the program follow the plan of some evidence. Of a plan that has to be adapted first the verdict is that of the
// variant which came closest, if none shows the error. The plan that was followed is in the verdict.
func (d *deep) confirm(ctx context.Context, e evidence) (*orchestrate.Verdict, error) {
	v, err := d.follow(ctx, e)
	if err != nil {
		if e.query > 0 {
			return nil, fmt.Errorf("replay of %s for query %d: %w", e.origin, e.query, err)
		}
		return nil, fmt.Errorf("replay of %s: %w", e.origin, err)
	}
	if d.recorded && e.origin.watched() {
		d.search.Replays++
		d.watch(v, done(v))
	}
	return v, nil
}

func (d *deep) follow(ctx context.Context, e evidence) (*orchestrate.Verdict, error) {
	switch {
	case len(e.variants) > 0:
		v, err := d.adapt(ctx, e.variants...)
		if err != nil || v.Status != orchestrate.Reproduced {
			return v, err // only another form of the program has these steps
		}
		e.plan.Steps = v.Trace
	case e.goesOn:
		v, err := d.binary.Run(ctx, e.plan, d.limits(0))
		if err != nil {
			return nil, err
		}
		if v.Status == orchestrate.Reproduced {
			e.plan.Steps = v.Trace // the run ends with the error
		}
	}
	limits := d.limits(0)
	limits.Environments = e.origin.environments()
	return orchestrate.Replay(ctx, d.binary, e.plan, limits)
}

// adapt makes a plan of another instrumented form of the program, which has not stopped at the guards that only the program of the
// bundle has, one of that: it is repeated with them. The first variant that shows what is expected has its steps in the
// trace of the verdict; if there is none, the verdict is that of the last one.
func (d *deep) adapt(ctx context.Context, variants ...artifact.Plan) (v *orchestrate.Verdict, err error) {
	for _, plan := range variants {
		limits := d.limits(0)
		limits.PassOthers, limits.MaxSteps = true, max(longSteps, 2*len(plan.Steps))
		if v, err = orchestrate.Replay(ctx, d.binary, plan, limits); err != nil || v.Status == orchestrate.Reproduced {
			break
		}
	}
	return v, err
}
