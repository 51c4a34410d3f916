package pass

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/vtrace/vtrace/internal/translate"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// A budget bounds the time of a check by both engines. What is not finished when it is
// spent is cut and says so; what is known by then is the result. The parts of a check
// have shares: a translation that takes for ever leaves time for runs of the program.
//
// It begins when the program is loaded and the packages that it imports are compiled, see
// libraries.go: on a machine that has compiled nothing yet, both take as long as a whole check,
// and say nothing of the program.
//
// What is cut depends on the machine: a result that says nothing of a budget does not.

// The shares of the budget at whose end a part of a check is cut. Where a program has smaller numbers to be checked with, they
// are shares of what is left beside scopesShare.
const (
	translateShare  = 0.35 // making the model
	boundsShare     = 0.45 // greater bounds
	firstShare      = 0.55 // the search of the first pass
	secondShare     = 0.65 // the search of the second pass
	systematicShare = 0.70 // the first runs, under systematic schedules
	conformShare    = 0.10 // following runs in the model, from when it begins
	replayShare     = 0.78 // replays, and runs near them
	raceRunsShare   = 0.25 // the first runs that look for data races, where they are asked for, from when they begin
	runsShare       = 0.87 // runs under random schedules
	exhaustShare    = 0.95 // runs under every schedule
	supersededShare = 0.40 // all of a check that another one follows
	scopesShare     = 0.30 // checks with smaller numbers, from the end
)

// modelPerSecond is how many bytes the text of a model may have for each second of the
// budget. To write a model, to read it again, to check its types and to pack it takes
// time in each pass that nothing cuts: some tenths of a second for a megabyte.
const modelPerSecond = 1 << 20

// oversized says why a model is too large for the budget, "" if it is not.
func oversized(m *translate.Model, opts Options) (string, error) {
	if opts.Budget <= 0 || opts.Model.Strict {
		return "", nil
	}
	limit := int64(opts.Budget.Seconds() * modelPerSecond)
	w := counting{limit: limit}
	switch err := uppaal.WriteXML(&w, m.Network); {
	case errors.Is(err, errOversized):
		return fmt.Sprintf("it would have more than %d bytes, which is too much for the budget of %v", limit, opts.Budget), nil
	default:
		return "", err
	}
}

// counting counts what is written, up to a limit.
type counting struct{ n, limit int64 }

var errOversized = errors.New("too large")

func (w *counting) Write(p []byte) (int, error) {
	if w.n += int64(len(p)); w.n > w.limit {
		return 0, errOversized
	}
	return len(p), nil
}

// interruptible is a context that also ends when Interrupt is closed.
func (o Options) interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	if isClosed(o.Interrupt) { // at once, whatever the goroutine comes to
		cancel()
	}
	go func() {
		select {
		case <-o.Interrupt:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// loading loads a program in the stage of that name. As long as there is none, there is nothing to show:
// Interrupt ends it at once, with an error. A check that loads its program again has something to show.
func (o Options) loading(ctx context.Context, rep reporter, load func(context.Context) (*program, error)) (*program, error) {
	defer rep.stage(LoadStage)()
	if o.soft == nil {
		var cancel context.CancelFunc
		ctx, cancel = o.interruptible(ctx)
		defer cancel()
	}
	return load(ctx)
}

// errInterrupted is why a check ends that Options.Interrupt has ended.
var errInterrupted = errors.New("it was interrupted")

// bounded returns options with a context that ends when the budget is spent or
// Interrupt is closed. The caller must call stop. What is bounded stays as it is.
func (o Options) bounded(ctx context.Context) (_ Options, stop func()) {
	if o.soft != nil {
		return o, func() {}
	}
	soft, cancel := context.WithCancelCause(ctx)
	o.start = time.Now()
	o.soft = soft
	done := make(chan struct{})
	var spent <-chan time.Time
	if o.Budget > 0 {
		timer := time.NewTimer(o.Budget)
		spent = timer.C
	}
	superseded := o.superseded
	go func() {
		for {
			select {
			case <-o.Interrupt:
				cancel(errInterrupted)
				return
			case <-superseded:
				superseded = nil
				if time.Since(o.start) < o.share(1-racesShare) { // else there is no time for the other one
					spent = time.After(time.Until(o.start.Add(o.share(supersededShare))))
				}
			case <-spent:
				cancel(o.errBudget())
				return
			case <-done:
				return
			}
		}
	}()
	return o, func() { close(done); cancel(nil) }
}

// late returns a context for what has been begun when the budget is spent: it ends a
// little later.
func (o Options) late(ctx context.Context) (context.Context, context.CancelFunc) {
	if o.soft == nil || o.Budget <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithDeadlineCause(ctx, o.start.Add(o.Budget+o.Budget/20), o.errBudget())
}

// share is that much of the budget.
func (o Options) share(of float64) time.Duration { return time.Duration(of * float64(o.Budget)) }

func (o Options) errBudget() error {
	if o.allotted {
		return fmt.Errorf("its part of the budget, %v, was spent", o.Budget.Round(time.Millisecond))
	}
	return fmt.Errorf("the budget of %v was spent", o.Budget)
}

// within returns the context for a part of a check that ends at a share of the budget.
func (o Options) within(ctx context.Context, share float64) (context.Context, context.CancelFunc) {
	return o.until(ctx, o.start, share, o.errBudget())
}

// watched returns the context for runs of the program that end at a share of the budget,
// and the one that the watchdog ends besides.
func (o Options) watched(ctx context.Context, share float64) (part, limited context.Context, cancel context.CancelFunc) {
	part, cancelPart := o.within(ctx, share)
	limited, cancelLimited := context.WithTimeout(part, o.Watchdog)
	return part, limited, func() { cancelLimited(); cancelPart() }
}

// lasting returns the context for a part of a check that may take a share of the budget,
// whenever it begins.
func (o Options) lasting(ctx context.Context, share float64) (context.Context, context.CancelFunc) {
	return o.until(ctx, time.Now(), share, fmt.Errorf("its share of the budget of %v was spent", o.Budget))
}

// until returns a context that ends a share of the budget after a time, if there is a
// budget, with that cause.
func (o Options) until(ctx context.Context, from time.Time, share float64, why error) (context.Context, context.CancelFunc) {
	if o.soft == nil {
		return context.WithCancel(ctx)
	}
	if o.Budget <= 0 {
		return context.WithCancel(o.soft)
	}
	return context.WithDeadlineCause(o.soft, from.Add(o.share(share)), why)
}

// cut says why a part of a check was ended before it was finished, "" if it was not,
// or if the check as a whole was cancelled.
func cut(ctx, part context.Context) string {
	if part == nil || part.Err() == nil || ctx.Err() != nil {
		return ""
	}
	return context.Cause(part).Error()
}
