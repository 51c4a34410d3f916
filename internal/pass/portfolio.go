package pass

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/parse"
)

// The two engines work on a program beside each other: the second one runs the program
// under every schedule while the model is made and searched. What it has shown is taken
// up where a deep pass without it would begin to run all schedules, so that the result
// does not depend on which engine is faster. It is asked earlier where greater bounds of the
// model begin to cost much: if few steps show all schedules of the program, the bounds stay as they
// are. How much that is is counted, so that the result is the same each time. There is one exception: a
// search of the model that goes on when a twentieth of the budget is spent is ended by a proof of
// the second engine, and one that goes on when three twentieths are by an error or a data race that runs have
// shown, which the deep pass comes upon then. The result says so.

// engineTiming says when the engines look at each other, and how much the second one does.
type engineTiming struct {
	// headStart is how long the model has for itself. Most programs are decided by then,
	// and need no second build.
	headStart time.Duration
	// provedShare is the share of the budget after which a proof ends the work on the
	// model, and failsShare that after which runs do that end in an error.
	provedShare, failsShare float64
	// steps bounds those of all runs under every schedule; half as many are for few
	// preemptions. fewSteps bounds those that are tried first.
	steps, fewSteps int
}

var defaultTiming = engineTiming{headStart: time.Second, provedShare: 0.05, failsShare: 0.15, steps: exhaustSteps, fewSteps: exhaustSteps / 200}

// scopeTiming is that of programs with small numbers, whose schedules are few: all of them are run at once.
var scopeTiming = engineTiming{headStart: 100 * time.Millisecond, provedShare: defaultTiming.provedShare, failsShare: defaultTiming.failsShare, steps: exhaustSteps / 4}

// errProved and errFails are why the model is not searched any further.
var (
	errProved = errors.New("all schedules of the program had been run by then")
	errFails  = errors.New("runs of the program had ended in an error by then")
	errRaces  = errors.New("runs of the program had shown a data race by then")
)

// schedules is the exploration of all schedules of a program beside its model.
type schedules struct {
	asked  chan struct{} // closed when it is not to wait for the model
	ask    sync.Once
	wanted atomic.Bool // the model is done with, and its result is waited for
	cancel context.CancelCauseFunc
	done   chan struct{} // closed when the fields below are set

	explored
	err error

	// few is closed, once, when it is known whether few steps prove the program.
	few       chan struct{}
	fewKnown  sync.Once
	fewProved bool

	// first is the round without stalls, if all of its schedules were run: firstDone is closed
	// then.
	first     *Exhausted
	firstDone chan struct{}

	// raced is closed, once, when runs have shown a data race, which race then is in words.
	raced     chan struct{}
	race      string
	racedOnce sync.Once
}

// explored is what the exploration of all schedules of a program has shown.
type explored struct {
	// rounds are those in which time passes only when nothing else can happen, and those
	// in which it passes at any moment, if they were begun.
	rounds []*Exhausted
	// bounded are those with few preemptions; nil if they were not run.
	bounded *Exhausted
}

// beside starts the exploration of a program. The caller must call stop.
func (o Options) beside(ctx context.Context, p *program) *schedules {
	part, release := o.within(ctx, exhaustShare)
	part, cancel := context.WithCancelCause(part)
	s := &schedules{asked: make(chan struct{}), done: make(chan struct{}), few: make(chan struct{}), firstDone: make(chan struct{}), raced: make(chan struct{}), cancel: cancel}
	wait := time.NewTimer(o.engines().headStart)
	go func() {
		defer close(s.done)
		defer s.knowsFew()
		defer release()
		defer caught(&s.err)
		defer wait.Stop()
		select {
		case <-part.Done():
			s.err = part.Err()
			return
		case <-wait.C:
		case <-s.asked:
		}
		s.explore(part, p, o)
		if s.err == nil && proved(s.rounds) {
			o.endModel(errProved, o.engines().provedShare)
		}
	}()
	return s
}

// sawRace says that runs have shown a data race.
func (s *schedules) sawRace(race string) {
	s.racedOnce.Do(func() {
		s.race = race
		close(s.raced)
	})
}

// explore runs the program under all of its schedules: if they are few at once, else anew with the bounds of a deep pass.
func (s *schedules) explore(ctx context.Context, p *program, opts Options) {
	b, err := p.guardable(ctx, opts, reporter{})
	if err != nil {
		s.err = err
		return
	}
	defer func() { s.err = errors.Join(s.err, b.Close()) }()
	b.raced = s.sawRace
	first := func(x *Exhausted) bool {
		if s.first == nil && x.Covered.AllWithoutStalls() {
			s.first = x
			close(s.firstDone)
		}
		return true
	}
	shown := false // an error, with nobody slow
	if few := opts.engines().fewSteps; few > 0 {
		if s.rounds, s.err = b.allSchedules(ctx, few, opts, reporter{}, first); s.err != nil {
			return
		}
		s.fewProved = proved(s.rounds)
		shown = s.showError()
	}
	complete := len(s.rounds) > 0 && !slices.ContainsFunc(s.rounds, func(x *Exhausted) bool { return !x.Complete })
	limited := slices.ContainsFunc(s.rounds, func(x *Exhausted) bool { return x.Limited > 0 })
	s.knowsFew()
	if opts.stopModel != nil && opts.Budget > 0 && opts.engines().fewSteps > 0 {
		failed, raced := shown, ""
		if !shown && !complete && !s.wanted.Load() {
			failed, raced = b.fails(ctx, opts)
		}
		if raced != "" {
			s.sawRace(raced)
		}
		switch {
		case failed:
			opts.endModel(errFails, opts.engines().failsShare)
		case raced != "" && (opts.raced != nil || opts.Model.Races):
			opts.endModel(errRaces, opts.engines().failsShare)
		}
	}
	if complete && !limited {
		return // with more steps it would be the same
	}
	all, err := b.everySchedule(ctx, opts, reporter{}, first)
	if len(all.rounds) > 0 { // else there was no time, and what few steps have shown is what is known
		s.explored = all
	}
	if s.err = err; err == nil && !shown && s.showError() {
		opts.endModel(errFails, opts.engines().failsShare)
	}
}

// showError reports whether schedules in which nobody is slow end in an error.
func (e explored) showError() bool {
	return slices.ContainsFunc(e.rounds, func(x *Exhausted) bool { return x.Covered.Stalls == 0 && endsInError(x.Ends) })
}

// firstRuns are the random runs that tell whether it is worth while to search the model for long, and firstRunsShare is
// the share of the budget that they may take.
const (
	firstRuns      = 200
	firstRunsShare = 0.25
)

// fails reports whether a few random runs of a program come to an error, or show a data race, if they do so soon. Where the
// first one does not come to its end there are no others: they are as long, and it is the exploration that then needs the time.
func (b *guardable) fails(ctx context.Context, opts Options) (failed bool, raced string) {
	limited, cancel := opts.lasting(ctx, firstRunsShare)
	defer cancel()
	how := orchestrate.ExploreOptions{
		RunOptions: orchestrate.RunOptions{Timeout: opts.Watchdog, MaxSteps: longSteps / 3}, // the program of the bundle has more guards
		Runs:       firstRuns, Strategy: opts.Strategy, TotalSteps: longSteps, Patient: true, First: true, NoReplay: true, MaxProcesses: runProcesses,
	}
	first, how := oneFirst(how)
	first.TotalSteps = first.MaxSteps
	how.TotalSteps -= first.TotalSteps
	for _, part := range append([]orchestrate.ExploreOptions{first}, opts.parts(how)...) {
		x, err := b.Explore(limited, part)
		if x == nil {
			break
		}
		failed = failed || endsInError(x.Ends)
		for _, e := range x.Ends {
			if len(e.Races) > 0 && raced == "" {
				raced = seenRace(orchestrate.Accesses(b.side, e.Races[0]))
			}
		}
		if failed || raced != "" || err != nil || cutOff(x.Ends) {
			break
		}
	}
	return failed, raced
}

// cutOff reports whether there were runs, none of which has come to its end.
func cutOff(ends []orchestrate.End) bool {
	return len(ends) > 0 && !slices.ContainsFunc(ends, func(e orchestrate.End) bool { return e.Status != orchestrate.Limit })
}

// endsInError reports whether runs have ended in an error of which no more need be known to call it one.
func endsInError(ends []orchestrate.End) bool {
	return slices.ContainsFunc(ends, func(e orchestrate.End) bool {
		return e.Status == orchestrate.Completed && (crash(e.Kind) || e.Kind == artifact.KindDeadlock || e.Kind == artifact.KindPartialDeadlock || e.Kind == artifact.KindTestFailure)
	})
}

// knowsFew closes few.
func (s *schedules) knowsFew() { s.fewKnown.Do(func() { close(s.few) }) }

// provedByFew reports whether few steps prove the program, for which it waits.
func (s *schedules) provedByFew(ctx context.Context) bool {
	s.ask.Do(func() { close(s.asked) })
	select {
	case <-s.few:
		return s.fewProved
	case <-ctx.Done():
		return false
	}
}

// stop ends the exploration, and waits until its processes have ended.
func (s *schedules) stop() {
	s.end(nil)
}

func (s *schedules) end(why error) {
	s.cancel(why)
	<-s.done
}

// result waits for the exploration until ctx ends. If it is asked for the schedules without
// stalls only, it has no others where those are complete, also if others were run already:
// so it does not depend on which engine is faster.
func (s *schedules) result(ctx context.Context, withoutStalls bool) (explored, error) {
	s.wanted.Store(true)
	s.ask.Do(func() { close(s.asked) })
	var enough chan struct{} // nil, and so never ready, if all schedules are asked for
	if withoutStalls {
		enough = s.firstDone
	}
	select {
	case <-enough:
	case <-s.done:
	case <-ctx.Done():
		s.end(context.Cause(ctx))
	}
	select {
	case <-enough:
		s.stop()
		return explored{rounds: []*Exhausted{s.first}}, nil
	default:
	}
	return s.explored, s.err
}

// everySchedule runs a program under every schedule, see allSchedules. If there are too many it
// runs those with few preemptions. If ctx ends the result is what is known by then.
func (p *program) everySchedule(ctx context.Context, opts Options, rep reporter, goOn func(first *Exhausted) bool) (out explored, err error) {
	b, err := p.guardable(ctx, opts, rep)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	return b.everySchedule(ctx, opts, rep, goOn)
}

func (b *guardable) everySchedule(ctx context.Context, opts Options, rep reporter, goOn func(first *Exhausted) bool) (out explored, err error) {
	if out.rounds, err = b.allSchedules(ctx, opts.engines().steps, opts, rep, goOn); err != nil {
		return out, err
	}
	if x := out.rounds[0]; !opts.inScope && !x.Complete && x.Runs > 0 && !fails(x) {
		out.bounded, err = b.fewPreemptions(ctx, opts, rep)
	}
	return out, err
}

// allSchedules runs a program under every schedule in which time passes only when
// nothing else can happen, and then, if that finds nothing, under those in which it passes
// at any moment, unless goOn, which is told of the first round, says no. All runs of a round
// have so many steps at most.
func (b *guardable) allSchedules(ctx context.Context, steps int, opts Options, rep reporter, goOn func(first *Exhausted) bool) (rounds []*Exhausted, err error) {
	for _, stalls := range []int{0, -1} {
		how := Exhaustion{Stalls: stalls, MaxRuns: exhaustRuns, TotalSteps: steps, Parallel: opts.besideModel()}
		if at, ok := ctx.Deadline(); ok {
			if how.MaxTime = opts.forAll(time.Until(at)); how.MaxTime == 0 {
				return rounds, context.DeadlineExceeded
			}
		}
		x, err := b.exhaustFurther(ctx, how, opts, rep)
		if x != nil {
			rounds = append(rounds, x)
		}
		if err != nil {
			return rounds, err
		}
		if goesOn := stalls != 0 || goOn(x); !goesOn || !x.Timed || !x.Covered.AllWithoutStalls() {
			break
		}
	}
	return b.furtherDraws(ctx, rounds, steps, opts, rep)
}

// otherDraws is how many further draws of the environment all schedules are run with, where one decides more than they do.
const otherDraws = 7

// furtherDraws runs all schedules again with other random numbers and starts of the clock, if some of what these decide is not
// explored. They prove nothing, and may show an error, which is a round more then. Those that there is no time for are left out.
func (b *guardable) furtherDraws(ctx context.Context, rounds []*Exhausted, steps int, opts Options, rep reporter) ([]*Exhausted, error) {
	x := rounds[0]
	if opts.inScope || !x.Complete || x.Limited > 0 || fails(x) || !drawn(x, b.diagnostics) {
		return rounds, nil
	}
	guards := b.Guards
	left := steps - x.Steps
	for k := 1; k <= otherDraws && left > 0; k++ {
		how := Exhaustion{Draw: k, MaxRuns: exhaustRuns, TotalSteps: left, Parallel: opts.besideModel()}
		if at, ok := ctx.Deadline(); ok {
			if how.MaxTime = opts.forAll(time.Until(at)); how.MaxTime == 0 {
				break
			}
		}
		other, err := b.exhaustFurther(ctx, how, opts, rep)
		if err != nil && ctx.Err() == nil {
			return rounds, err
		}
		if other != nil && fails(other) {
			return append(rounds, other), nil
		}
		if other == nil || !other.Complete || other.Limited > 0 {
			break
		}
		x.Covered.Draws = k + 1
		left -= other.Steps
	}
	b.Guards = guards
	return rounds, nil
}

// drawn reports whether an exploration has taken one of several draws of the environment.
func drawn(x *Exhausted, diagnostics []parse.Diagnostic) bool {
	return orchestrate.Drawn(x.Exhaustive) || slices.ContainsFunc(diagnostics, func(d parse.Diagnostic) bool {
		return d.Number && (d.Reach == 0 || slices.Contains(x.Reached, d.Reach))
	})
}

// forAll is how long all schedules of a program may be run, of what is left, where those with few preemptions may follow; 0 if that
// is not worth while. Those say nothing of a small scope, whose schedules are few.
func (o Options) forAll(left time.Duration) time.Duration {
	part, least := 1-boundingShare, time.Second
	if o.inScope {
		part, least = 1, least/10
	}
	if t := time.Duration(part * float64(left)); t >= least {
		return t
	}
	return 0
}

// besideModel is how many processes explore at once beside the model, which has a core, but of a small scope: most of those are proved
// by their schedules.
func (o Options) besideModel() int {
	if o.inScope {
		return o.processors()
	}
	return max(o.processors()-1, 1)
}

// processors is how many processors a pass may use.
func (o Options) processors() int { return cmp.Or(max(o.Processors, 0), runtime.GOMAXPROCS(0)) }

// proved reports whether all schedules were run, and none ends in an error.
func proved(rounds []*Exhausted) bool {
	return len(rounds) > 0 && !slices.ContainsFunc(rounds, fails) && coverage(rounds).Proved()
}

// fails reports whether a run has ended in an error.
func fails(x *Exhausted) bool {
	return slices.ContainsFunc(x.Ends, func(e orchestrate.End) bool { return e.Kind != "" })
}

// coverage is how far rounds have come: the first one, or the second if it is complete.
func coverage(rounds []*Exhausted) *artifact.Exhaustive {
	covered := &rounds[0].Covered
	for _, x := range rounds[1:] {
		if x.Complete {
			covered = &x.Covered
		}
	}
	return covered
}

// engines is the timing of the engines.
func (o Options) engines() *engineTiming {
	if o.timing == nil {
		return &defaultTiming
	}
	return o.timing
}

// forModel returns the context for a part of a check that works on the model: it ends at
// a share of the budget, or when a proof of the other engine has ended the model.
func (o Options) forModel(ctx context.Context, share float64) (context.Context, context.CancelFunc) {
	if o.model != nil {
		o.soft = o.model
	}
	return o.within(ctx, share)
}

// endModel ends the work on the model, as soon as it has had its share of the budget.
func (o Options) endModel(why error, share float64) {
	if o.stopModel == nil || o.Budget <= 0 {
		return
	}
	at := o.start.Add(o.share(share))
	timer := time.AfterFunc(time.Until(at), func() { o.stopModel(why) })
	context.AfterFunc(o.model, func() { timer.Stop() })
}

// withEngines returns options for a check by both engines. The caller must call stop.
func (o Options) withEngines() (_ Options, stop func()) {
	o.model, o.stopModel = context.WithCancelCause(o.soft)
	return o, func() { o.stopModel(nil) }
}
