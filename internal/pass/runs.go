package pass

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/explain"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/translate"
)

// ExploreRuns is how many runs under random schedules a deep pass does of every
// program, besides those that it follows in the model. Time passes in them only when
// nothing else can happen. Errors that they show, and that the program shows again,
// are real, whatever the model says; that they show none says nothing.
const ExploreRuns = 1000

// Each run is cut after runSteps steps, and there are no more after totalSteps, nor
// more than runProcesses processes where runs need their own.
const (
	runSteps     = 20_000
	totalSteps   = 800_000
	runProcesses = 20
)

// A run that comes to no end within runSteps may come to one within longSteps: a hundred goroutines that do something
// two hundred times take a hundred thousand. There are few such runs. More steps than that might be more than is read
// of what a run has recorded: some have 300 bytes.
const (
	longSteps = 1_000_000
	longTotal = 2_000_000 // of all but the first
	longRuns  = 20
)

// explore runs the program.
func (d *deep) explore(ctx context.Context) error {
	defer d.rep.stage("explore")()
	how := orchestrate.ExploreOptions{
		Runs: cmp.Or(d.opts.Runs, ExploreRuns), Seed: 2 * ConformanceRuns, Strategy: d.opts.Strategy, Patient: true, TotalSteps: totalSteps, MaxProcesses: runProcesses,
	}
	if d.runs.Runs == 0 { // else some were followed in the model
		var one orchestrate.ExploreOptions
		one, how = oneFirst(how)
		if err := d.under(ctx, one); err != nil || d.runs.Cut != "" || how.Runs == 0 {
			return err
		}
	}
	if d.runs.Runs > 0 {
		d.long = d.runs.Limited == d.runs.Runs
	}
	if !d.long {
		return d.byStrategies(ctx, how)
	}
	// One run tells whether there is an end to come to.
	first, how := oneFirst(how)
	first.TotalSteps, first.MaxSteps = longSteps, longSteps
	limited := d.runs.Limited
	if err := d.under(ctx, first); err != nil || d.runs.Cut != "" {
		return err
	}
	if how.Runs == 0 {
		return nil
	}
	if d.runs.Limited == limited {
		how.Runs, how.TotalSteps, how.MaxSteps, how.First = min(how.Runs, longRuns), longTotal, longSteps, true
		if len(d.ends) > 0 {
			return nil // to replay them takes as long as many runs
		}
	}
	return d.byStrategies(ctx, how)
}

// oneFirst takes the first of some runs from the others.
func oneFirst(how orchestrate.ExploreOptions) (first, others orchestrate.ExploreOptions) {
	first, others = how, how
	first.Runs = 1
	others.Runs, others.Seed = how.Runs-1, how.Seed+1
	return first, others
}

// byStrategies runs the program under the schedules of strategies, one after the other.
func (d *deep) byStrategies(ctx context.Context, how orchestrate.ExploreOptions) error {
	for _, part := range d.opts.parts(how) {
		if err := d.under(ctx, part); err != nil || d.runs.Cut != "" || how.First && len(d.ends) > 0 {
			return err
		}
	}
	return nil
}

// secondShown is the part of runs that are by a second strategy: what the best one does not show in some hundred runs it
// hardly does in more. See docs/strategies.md.
const secondShown = 0.4

// parts are the parts of random runs, each by a strategy. There is one if the caller has chosen the strategy.
func (o Options) parts(how orchestrate.ExploreOptions) []orchestrate.ExploreOptions {
	second := int(secondShown * float64(how.Runs))
	if how.Strategy != DefaultStrategy || second == 0 {
		return []orchestrate.ExploreOptions{how}
	}
	first, last := how, how
	first.Runs = how.Runs - second
	last.Runs, last.Seed, last.Strategy = second, how.Seed+uint64(first.Runs), orchestrate.StrategySURW
	last.TotalSteps = int(secondShown * float64(how.TotalSteps))
	first.TotalSteps -= last.TotalSteps
	return []orchestrate.ExploreOptions{first, last}
}

// under runs the program under random schedules, and takes up how the runs ended. If
// there can be none it says why. Each run is cut after runSteps if how has no other bound.
func (d *deep) under(ctx context.Context, how orchestrate.ExploreOptions) error {
	if d.runs.Stopped != "" && d.runs.Runs == 0 {
		return nil
	}
	part, limited, cancel := d.opts.watched(ctx, runsShare)
	defer cancel()
	how.NoReplay = true
	how.RunOptions = d.limits(cmp.Or(how.MaxSteps, runSteps))
	x, err := d.binary.Explore(limited, how)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil:
	case cut(ctx, part) != "":
		d.runs.Cut = cut(ctx, part)
		d.runs.Stopped = d.runs.Cut
	case errors.Is(err, context.DeadlineExceeded):
		d.runs.Stopped = fmt.Sprintf("they took more than %v", d.opts.Watchdog)
	default:
		if d.runs.Stopped, err = d.noRuns(ctx, err, how.RunOptions); err != nil {
			return err
		}
	}
	if x == nil {
		return nil
	}
	before := d.runs.Systematic + d.runs.Runs
	d.runs.Runs += x.Runs
	astray := ""
	for _, e := range x.Ends {
		switch e.Status {
		case orchestrate.Limit:
			d.runs.Limited += e.Count
		case orchestrate.Unsupported:
			d.undecided(e)
			astray = cmp.Or(astray, e.Message)
		}
	}
	for h := range x.Hashes {
		d.seen[h] = true
	}
	d.runs.Schedules = len(d.seen)
	switch {
	case x.Runs == how.Runs || d.runs.Stopped != "":
	case how.First && slices.ContainsFunc(x.Ends, isError):
		d.runs.Stopped = "one has ended in an error, and each takes long"
	case x.Processes == how.MaxProcesses:
		d.runs.Stopped = fmt.Sprintf("%d processes were needed", x.Processes)
		if astray != "" {
			d.runs.Stopped += ", since runs had no verdict: " + astray
		}
	default:
		d.runs.Stopped = fmt.Sprintf("they had %d steps", how.TotalSteps)
	}
	d.take(x, how, before)
	return nil
}

// isError reports whether runs that ended so have come to an error.
func isError(e orchestrate.End) bool { return e.Status == orchestrate.Completed && e.Kind != "" }

// maxUndecided is how many reasons are named for which runs have no verdict: there may be as many as places.
const maxUndecided = 3

// undecided counts runs that have no verdict, and keeps why.
func (d *deep) undecided(e orchestrate.End) {
	d.runs.Uncontrolled += e.Count
	if why := &d.runs.Undecided; e.Message != "" && len(*why) < maxUndecided && !slices.Contains(*why, e.Message) {
		*why = append(*why, e.Message)
	}
}

// sequentialRuns are those without preemptions in which a program may show that it can end
// without a failure, of which all others have failed.
const sequentialRuns = 32

// endWell looks for a run that ends without a failure, if all others have failed. Where each
// of many steps may go wrong hardly a random schedule goes well.
func (d *deep) endWell(ctx context.Context) error {
	fails := func(e ended) bool { return e.Kind == artifact.KindTestFailure || e.Kind == artifact.KindExit }
	if d.endsWell || d.runs.Failing != "" || !slices.ContainsFunc(d.ends, fails) {
		return nil
	}
	some, err := d.someEndsWell(ctx)
	d.endsWell = some == endsSomehow
	return err
}

// runsEnd says whether some run of a program ends without an error.
type runsEnd int

const (
	endsUnknown runsEnd = iota
	endsSomehow         // one does
	endsNever           // none of those that were tried
)

// someEndsWell says whether one of a few runs without preemptions ends without an error.
func (d *deep) someEndsWell(ctx context.Context) (runsEnd, error) {
	late, cancel := d.opts.late(ctx)
	defer cancel()
	// Without a plan a goroutine goes on as long as it can.
	v, err := d.binary.Run(late, artifact.Plan{Steps: []artifact.PlanStep{}}, d.limits(0))
	if err == nil && v.Status != orchestrate.Limit && v.Status != orchestrate.Unsupported && v.Kind == "" && !v.Failed {
		return endsSomehow, nil
	}
	x, err := d.binary.Exhaust(late, orchestrate.ExhaustOptions{
		RunOptions: d.limits(runSteps), Awaits: d.program.awaits(), Bounding: &Bounding{},
		MaxRuns: sequentialRuns, TotalSteps: systematicSteps, MaxProcesses: systematicProcesses,
	})
	switch {
	case ctx.Err() != nil:
		return endsUnknown, ctx.Err()
	case err != nil || x == nil || x.Runs == 0:
		return endsUnknown, nil
	}
	all := endsNever
	for _, e := range x.Ends {
		switch {
		case e.Status != orchestrate.Completed:
			all = endsUnknown
		case e.Kind == "":
			return endsSomehow, nil
		}
	}
	return all, nil
}

// endsWell reports whether a run has ended without an error, or would have gone on.
func endsWell(e orchestrate.End) bool {
	return e.Status == orchestrate.Limit || e.Status == orchestrate.Completed && e.Kind == ""
}

// ended is a way in which runs ended, and how many of those of its exploration.
type ended struct {
	orchestrate.End
	of         int
	patient    bool
	exhaustive bool
	systematic bool
	fuzzed     bool // it is one of a search that is guided by what runs come to
	number     int  // of the run, among all that the deep pass has done but replays
	// predicted says what of a recorded run has predicted it, "" if nothing has.
	predicted string
	// at is who is stuck, if that is not to be the goroutine of the entry: many deadlocks leave that at one place.
	at []artifact.At
}

// name says which run it was.
func (e *ended) name() string {
	switch {
	case e.exhaustive:
		return fmt.Sprintf("run %d of the exploration of every schedule", e.number)
	case e.systematic:
		return fmt.Sprintf("run %d, under a systematic schedule", e.number)
	case e.fuzzed:
		return fmt.Sprintf("run %d of a search by runs", e.number)
	}
	if s := e.Strategy; s != "" && s != orchestrate.StrategyRandom {
		return fmt.Sprintf("run %d, under a schedule of strategy %s", e.number, s)
	}
	return fmt.Sprintf("run %d, under a random schedule", e.number)
}

// takeRemaining notes whom libraries have left behind in runs that ended so.
func (d *deep) takeRemaining(e orchestrate.End) {
	d.runs.Remaining = union(d.runs.Remaining, e.Remaining)
}

// take takes up how runs ended, which were so many runs before.
func (d *deep) take(x *orchestrate.Exploration, how orchestrate.ExploreOptions, before int) {
	for _, e := range x.Ends {
		d.endsWell = d.endsWell || endsWell(e)
		d.takeRemaining(e)
		d.takeEnd(ended{End: e, of: x.Runs, patient: how.Patient, number: before + int(e.Seed-how.Seed) + 1})
	}
}

// takeEnd takes up how some runs ended.
func (d *deep) takeEnd(e ended) {
	switch e.Status {
	case orchestrate.Limit:
		if e.patient && len(e.Starved) > 0 {
			d.starved = append(d.starved, e)
		}
	case orchestrate.Completed:
		d.left.add(e.End, d.funcOf)
		d.longest = max(d.longest, len(e.Plan.Steps))
		if e.Kind != "" {
			d.ends = append(d.ends, e)
		}
	}
}

// funcOf is the function of a site.
func (d *deep) funcOf(key string) string {
	site, _ := d.siteOf(key)
	return site.Func
}

// proveEnds makes findings of the errors in which runs ended.
func (d *deep) proveEnds(ctx context.Context, second *artifact.Bundle) error {
	if len(d.ends) == 0 {
		return d.proveStarved(ctx)
	}
	if err := d.endWell(ctx); err != nil {
		return err
	}
	defer d.rep.stage("replay")()
	late, cancel := d.opts.late(ctx)
	defer cancel()
	for _, e := range d.ends {
		if cut(ctx, d.opts.soft) != "" {
			d.runs.Unproved++
			continue
		}
		switch err := d.shown(late, second, e); {
		case err != nil && cut(ctx, late) != "":
			d.runs.Unproved++
		case err != nil:
			return err
		}
	}
	d.ends = nil
	return d.proveStarved(ctx)
}

// proveStarved makes findings of those who were blocked in runs that were cut off, if they are blocked still after so many
// more steps that hardly a run needs as many to come to its end.
func (d *deep) proveStarved(ctx context.Context) error {
	all := d.starved
	defer func() { d.starved = nil }()
	for _, e := range all {
		goesOn, err := d.goesOn(ctx, e)
		if err == nil && goesOn {
			err = d.starving(e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// goesOn reports whether a run that was cut off does not come to its end within longSteps either.
func (d *deep) goesOn(ctx context.Context, e ended) (bool, error) {
	switch steps := len(e.Plan.Steps); {
	case steps <= d.longest: // another one has needed as many
		return false, nil
	case e.fuzzed || steps >= longSteps: // there is no seed, or it was not cut off before
		return true, nil
	}
	_, limited, cancel := d.opts.watched(ctx, runsShare)
	defer cancel()
	how := orchestrate.ExploreOptions{
		Runs: 1, Seed: e.Seed, Strategy: e.Strategy, Patient: e.patient, NoReplay: true, MaxProcesses: 1, TotalSteps: longSteps, RunOptions: d.limits(longSteps),
	}
	x, err := d.binary.Explore(limited, how)
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case err != nil || x == nil || len(x.Ends) == 0:
		return false, nil // it is not known
	}
	d.takeEnd(ended{End: x.Ends[0], of: 1, patient: e.patient, number: e.number})
	return x.Ends[0].Status == orchestrate.Limit, nil
}

// shown makes findings of the end of a run, if it is an error that is not known.
func (d *deep) shown(ctx context.Context, second *artifact.Bundle, e ended) error {
	at := []artifact.At{{G: e.G, Site: e.Site}}
	switch {
	case e.at != nil:
		at = e.at
	case e.Kind == artifact.KindDeadlock:
		at = slices.DeleteFunc(slices.Clone(e.Plan.Expect.Goroutines), func(at artifact.At) bool { return at.G != entryGoroutine })
		if len(at) == 0 {
			at = d.goexitOf(e)
		}
	case e.Kind == artifact.KindPartialDeadlock: // main has returned
		at = slices.DeleteFunc(slices.Clone(e.Plan.Expect.Goroutines), func(at artifact.At) bool {
			site, ok := d.siteOf(at.Site)
			return !ok || !sites.Named(site.Kind).HoldsUp()
		})
		// One finding is enough: prove expects all of these goroutines together.
		if len(at) > 1 {
			at = at[:1] // who waits for who has it
		}
	case e.Kind == artifact.KindLeak && d.target.IsTest():
		at = slices.Clone(e.Plan.Expect.Goroutines)
		slices.SortStableFunc(at, func(a, b artifact.At) int { return cmp.Compare(a.Site, b.Site) })
		at = slices.CompactFunc(at, func(a, b artifact.At) bool { return a.Site == b.Site })
	case (e.Kind == artifact.KindTestFailure || e.Kind == artifact.KindExit) && !e.patient && !(e.exhaustive && d.runs.Exhaustive.AllWithoutStalls()):
		// Tests of time fail when it passes while others could go on. That this one does not
		// fail without that is known only if all schedules without stalls were run.
		return nil
	case e.Kind == artifact.KindExit && !d.endsWell:
		site, _ := d.siteOf(e.Site) // it is what the program does, or it lacks what it needs
		d.runs.Failing = fmt.Sprintf("%s:%d: %s", site.File, site.Line, e.Message)
		return nil
	case e.Kind == artifact.KindExit:
	case e.Kind == artifact.KindTestFailure && !d.endsWell:
		if e.systematic {
			return nil // a random run says it, too
		}
		// The program is a test that passes, or the run lacks what it needs.
		d.runs.Failing = e.Message
		v, err := d.binary.Run(ctx, e.Plan, d.limits(0))
		if err != nil {
			return fmt.Errorf("a run that fails: %w", err)
		}
		if in, text, ok := d.failureIn(v.Stdout); ok {
			d.runs.Failing = fmt.Sprintf("%s:%d: %s", in.File, in.Line, text)
		}
		return nil
	case e.Kind == artifact.KindTestFailure:
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

// goexitOf is where main has called runtime.Goexit in a run, nothing if it has not.
func (d *deep) goexitOf(e ended) []artifact.At {
	for _, s := range slices.Backward(e.Plan.Steps) {
		if s.G != entryGoroutine {
			continue
		}
		if site, ok := d.siteOf(s.Site); ok && site.Kind == sites.Exit.String() {
			return []artifact.At{{G: s.G, Site: s.Site}}
		}
	}
	return nil
}

// starving makes findings of goroutines that have been blocked for most of a run that
// was cut off, while others went on: that these may go on for ever without them is
// not known.
func (d *deep) starving(e ended) error {
	for _, at := range e.Starved {
		site, ok := d.siteOf(at.Site)
		if !ok || at.G != entryGoroutine || d.known(artifact.KindPartialDeadlock, site) || d.known(artifact.KindDeadlock, site) {
			continue
		}
		operation := d.program.sites.Site(sites.ID(site.ID)).Kind
		if !d.asks(translate.CategoryOf(artifact.KindPartialDeadlock, operation)) {
			continue
		}
		q := d.ask(artifact.Query{
			Category: translate.CategoryOf(artifact.KindPartialDeadlock, operation), Kind: artifact.KindPartialDeadlock,
			Site: site.ID, File: site.File, Line: site.Line, Col: site.Col,
			Description: fmt.Sprintf("goroutine %s may wait for ever at %s while others go on", at.G, operation),
		})
		v := &orchestrate.Verdict{Status: e.Status, Plan: e.Plan, Goroutines: e.Goroutines}
		v.Plan.Expect = artifact.Expect{Kind: artifact.KindPartialDeadlock, Goroutines: []artifact.At{at}}
		s := d.suspectOf(q, v)
		s.conclude(artifact.Unconfirmed, fmt.Sprintf("in run %d it was blocked from step %d to the end, step %d, while others went on", e.number, e.Since, len(e.Plan.Steps)))
	}
	return nil
}

// entryGoroutine is the creation path of the goroutine of the entry function.
const entryGoroutine = "0"

// asks reports whether errors of a category are looked for.
func (d *deep) asks(category string) bool {
	asked := d.opts.Model.Categories
	return asked == nil || slices.Contains(asked, category)
}

// prove replays a run that ended in an error of a goroutine. If the program does
// the same again, the error is real.
func (d *deep) prove(ctx context.Context, second *artifact.Bundle, e ended, at artifact.At) error {
	site, _ := d.siteOf(at.Site)
	failure := e.Kind == artifact.KindTestFailure
	site = d.endPlace(e.Kind, site, e.Stack)
	timed := d.dependingOnTiming(e, site)
	if timed == nil && d.known(e.Kind, site) {
		return nil
	}
	operation := d.program.sites.Site(sites.ID(site.ID)).Kind
	category := translate.CategoryOf(e.Kind, operation)
	if !d.asks(category) {
		return nil
	}
	plan := e.Plan
	plan.Expect = artifact.Expect{Kind: e.Kind}
	if !failure {
		plan.Expect.Goroutines = []artifact.At{at}
	}
	if e.Kind == artifact.KindPartialDeadlock {
		plan.Expect.Goroutines = e.Plan.Expect.Goroutines
	}
	shown := evidence{plan: plan, origin: fromRun}
	if e.exhaustive {
		shown.variants = []artifact.Plan{plan, d.withoutMinor(plan)}
	}
	v, err := d.confirm(ctx, shown)
	if err != nil {
		return err
	}
	if e.Kind == artifact.KindLeak && v.Restless {
		return nil // those left may go on
	}
	if timed != nil {
		if v.Status != orchestrate.Reproduced || len(v.Stalls) > 0 {
			return nil
		}
		d.retrace(timed, v)
		return d.keep(timed)
	}
	reason := fmt.Sprintf("found by running the program (%s), not in its model", e.name())
	if e.predicted != "" {
		reason = e.predicted
	} else if n := satisfied(second, e.Kind, site.ID); n != 0 {
		reason = fmt.Sprintf("found by running the program (%s); the model has no such trace (query %d is satisfied)", e.name(), n)
	}
	description := e.Kind
	if explain.Stuck(e.Kind) {
		description = translate.DescribeStuck(e.Kind, operation, d.target.IsTest())
	}
	if failure {
		if in, text, ok := d.failureIn(v.Stdout); ok {
			site.File, site.Line, description = in.File, in.Line, text
		}
	}
	q := d.ask(artifact.Query{
		Category: category, Kind: e.Kind, Site: site.ID, File: site.File, Line: site.Line, Col: site.Col, Description: description,
	})
	s := d.suspectOf(q, v)
	s.run = e.number
	if v.Status == orchestrate.Reproduced {
		s.conclude(artifact.Real, reason)
		if err := d.keep(s); err != nil {
			return err
		}
		return d.partial(s)
	}
	s.conclude(artifact.Unconfirmed, fmt.Sprintf("%s, but not again: %s", cmp.Or(e.predicted, "shown by "+e.name()), v.Reason))
	return d.keep(s)
}

// dependingOnTiming is the suspect for the error that a run has shown without a stall, if it
// is real so far with one only; nil if there is none.
func (d *deep) dependingOnTiming(e ended, site artifact.Site) *suspect {
	if !e.patient {
		return nil
	}
	for _, s := range slices.Concat(d.cases, d.observed) {
		if s.outcome == artifact.Real && s.replay != nil && same(s.query, e.Kind, site) && d.dependsOnTiming(s.query.Kind, s.query.File, s.replay) {
			return s
		}
	}
	return nil
}

// withoutMinor is a plan of another instrumented form of the program without its steps at statements that are no guards of the
// model: beside atomic operations they are guards in one form, and not in another one.
func (d *deep) withoutMinor(plan artifact.Plan) artifact.Plan {
	minor := map[string]bool{}
	for _, s := range d.side.Sites {
		minor[s.Key] = s.Kind == sites.Stmt.String()
	}
	for _, id := range d.side.Accesses {
		if s, ok := d.side.Site(id); ok {
			minor[s.Key] = false
		}
	}
	plan.Steps = without(plan.Steps, minor)
	return plan
}

// misuses are the operations whose misuse a kind of error is.
var misuses = map[string][]sites.Kind{
	artifact.KindSendOnClosed:    {sites.Send, sites.Select},
	artifact.KindCloseOfClosed:   {sites.Close},
	artifact.KindCloseOfNil:      {sites.Close},
	artifact.KindNegativeCounter: {sites.WaitGroupAdd, sites.WaitGroupDone},
	artifact.KindUnlockUnlocked:  {sites.Unlock, sites.RUnlock},
}

// endPlace is the place of an error of a goroutine that has passed a site last. That is the place if
// it is of an operation that is misused, which may be deferred. Else where it crashes the stack tells;
// a line without a statement is the end of a function with deferred calls: there it is.
func (d *deep) endPlace(kind string, last artifact.Site, stack []string) artifact.Site {
	if !crash(kind) || slices.Contains(misuses[kind], sites.Named(last.Kind)) {
		return last
	}
	if in, ok := d.placeOf(stack); ok {
		last.ID = cmp.Or(in.ID, last.ID)
		last.File, last.Line, last.Col, last.Func = in.File, in.Line, in.Col, in.Func
	}
	return last
}

// placeOf is where a crash happened: the innermost place of its stack that is in a
// file of the program. Its site is the statement there, if there is one.
func (d *deep) placeOf(stack []string) (artifact.Site, bool) {
	for _, frame := range stack {
		fn, at, _ := strings.Cut(frame, " ")
		file, text, _ := strings.Cut(at, ":")
		line, err := strconv.Atoi(text)
		if err != nil || line < 1 {
			continue
		}
		// Of files in stacks only the last part of the name is known.
		var in *artifact.Site
		for i, s := range d.side.Sites {
			if path.Base(s.File) != file || !strings.HasPrefix(fn, sites.PackageOf(s.Func)+".") {
				continue
			}
			if in = &d.side.Sites[i]; s.Line == line {
				return s, true
			}
		}
		if in != nil {
			return artifact.Site{Func: fn, File: in.File, Line: line}, true
		}
	}
	return artifact.Site{}, false
}

// reported is a line by which package testing reports where a test logs or fails.
var reported = regexp.MustCompile(`(?m)^\s+([^\s/:]+\.go):(\d+): (.*)$`)

// failures are the places that a test has reported, and what it says there.
func (d *deep) failures(output string) iter.Seq2[artifact.Site, string] {
	return func(yield func(artifact.Site, string) bool) {
		for _, m := range reported.FindAllStringSubmatch(output, -1) {
			line, err := strconv.Atoi(m[2])
			if err != nil {
				continue
			}
			i := slices.IndexFunc(d.side.Sites, func(s artifact.Site) bool { return path.Base(s.File) == m[1] && s.Line == line })
			if i >= 0 && !yield(d.side.Sites[i], artifact.KindTestFailure+": "+m[3]) {
				return
			}
		}
	}
}

// failureIn is the first of the failures.
func (d *deep) failureIn(output string) (in artifact.Site, text string, ok bool) {
	for in, text := range d.failures(output) {
		return in, text, true
	}
	return artifact.Site{}, "", false
}

// failureAt is what a test has first reported on a line, "" if it has nothing.
func (d *deep) failureAt(output, file string, line int) string {
	for in, text := range d.failures(output) {
		if in.File == file && in.Line == line {
			return text
		}
	}
	return ""
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
