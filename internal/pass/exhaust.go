package pass

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/parse"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/source"
)

// The second engine runs the program itself under every schedule that is not equivalent
// to another one, without a model in between. Goroutines are switched at operations, and
// at the statements that a run has seen to race: if no run has a data race elsewhere,
// every behaviour of the program is one of such a schedule (Musuvathi and Qadeer, PLDI
// 2007). Where a race shows, its statements become guards and the exploration begins
// again.

// exhaustRounds bounds how often guards are added, and scoutRuns the runs of a round
// whose only purpose is to see whether they have to be.
const (
	exhaustRounds = 8
	scoutRuns     = 100
)

// In a check the exploration of a program ends after exhaustRuns, or exhaustSteps of
// all runs. Each run is cut after exhaustRunSteps; where there are few, they are run
// again with longSteps.
const (
	exhaustRuns     = 500_000
	exhaustSteps    = 10_000_000
	exhaustRunSteps = 20_000
)

// checkExhaustion says what is out of range.
func checkExhaustion(how Exhaustion) error {
	last := 0
	if how.Bounding != nil {
		last = how.Bounding.Last
	}
	for _, n := range []struct {
		name         string
		value, least int64
	}{
		{"stalls", int64(how.Stalls), -1}, {"values", int64(how.Values), 0}, {"draw", int64(how.Draw), 0}, {"preemptions", int64(last), AllPreemptions}, {"parallel", int64(how.Parallel), 0},
		{"runs", int64(how.MaxRuns), 0}, {"total steps", int64(how.TotalSteps), 0}, {"time", int64(how.MaxTime), 0}, {"steps", int64(how.MaxSteps), 0},
	} {
		if n.value < n.least {
			return &OptionError{Option: n.name, Reason: fmt.Sprintf("%d is less than %d", n.value, n.least)}
		}
	}
	return nil
}

// Exhaust runs a program under all schedules that are not equivalent. There is no model.
// Every error found is replayed in a process of its own. If ctx ends, the result is what
// is known by then, without replays, and the error says so.
func Exhaust(ctx context.Context, spec source.Spec, how Exhaustion, opts Options) (_ *Exhausted, err error) {
	defer caught(&err)
	if err := checkExhaustion(how); err != nil {
		return nil, err
	}
	p, opts, rep, close, err := loadToRun(ctx, spec, opts)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, close()) }()
	b, err := p.guardable(ctx, opts, rep)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	if b.digest, err = p.frontierDigest(ctx, opts); err != nil {
		return nil, err
	}
	x, err := b.exhaustFurther(ctx, how, opts, rep)
	if err != nil {
		if x != nil {
			x.Findings = p.endFindings(ctx, opts, b.side, x.Ends)
		}
		return x, err
	}
	defer rep.stage("replay")()
	err = b.ReplayEnds(ctx, x.Ends, orchestrate.RunOptions{Timeout: opts.Watchdog})
	x.Findings = p.endFindings(ctx, opts, b.side, x.Ends)
	return x, err
}

// guardable is an instrumented program in which every statement may become a guard.
type guardable struct {
	*orchestrate.Binary
	side        *artifact.Sidecar // the sites
	awaits      []string          // keys, see program.awaits
	diagnostics []parse.Diagnostic
	digest      string            // of the program and its entry, as frontiers have it; "" where there are none
	raced       func(race string) // if not nil, is called when runs show a data race
}

// buildGuardable builds the program so that it can be explored.
func (p *program) buildGuardable(ctx context.Context, opts Options, rep reporter) (*guardable, error) {
	side := p.sidecar()
	b, diagnostics, err := p.instrument(ctx, opts, side, parse.Options{Accesses: p.statements(), Races: true}, nil, rep)
	if err != nil {
		return nil, err
	}
	return &guardable{Binary: b, side: side, awaits: p.awaits(), diagnostics: diagnostics}, nil
}

// statements are the numbers of the statements of the program.
func (p *program) statements() (out []int) {
	for _, s := range p.sites.Sites() {
		if s.Kind == sites.Stmt {
			out = append(out, int(s.ID))
		}
	}
	return out
}

// manyValues is how many alternatives a choice of the environment may have in programs with
// so few schedules that all of them can be explored: the orders of seven elements.
const manyValues = 5040

// exhaustFurther explores a program, and explores it again if all that keeps it from being done is bounds that can be greater:
// choices of the environment had more alternatives than were explored, or the few runs that there are were cut off. What is known by
// then stays if that neither comes to an end nor shows an error, and the binary has the guards of what is returned.
func (b *guardable) exhaustFurther(ctx context.Context, how Exhaustion, opts Options, rep reporter) (*Exhausted, error) {
	began := time.Now()
	x, err := b.exhaust(ctx, how, opts, rep)
	if err != nil || !x.Complete {
		return x, err
	}
	guards := b.Guards
	// again explores it with other bounds, nil if there is no time. The binary has the guards of that then.
	again := func(how Exhaustion) (*Exhausted, error) {
		how.Frontier = nil
		if how.MaxTime > 0 && how.MaxTime < time.Second {
			return nil, nil
		}
		more, err := b.exhaust(ctx, how, opts, rep)
		if ctx.Err() != nil {
			err = nil // what is cut is not lost
		}
		return more, err
	}
	if x.Untaken && how.Values < manyValues {
		wide := how
		wide.Values = manyValues
		if how.MaxTime > 0 {
			wide.MaxTime = max(how.MaxTime-time.Since(began), 1)
		}
		more, err := again(wide)
		if err != nil || more == nil || !more.Complete {
			b.Guards = guards
			return x, err
		}
		x, guards, how = more, b.Guards, wide
	}
	if x.Limited > 0 && how.MaxSteps == 0 && (how.TotalSteps == 0 && x.Runs <= longRuns || x.Runs*longSteps <= how.TotalSteps) {
		// They take all of the time: few preemptions of few schedules say nothing.
		left := func() time.Duration {
			if at, ok := ctx.Deadline(); ok && how.MaxTime > 0 {
				return max(time.Until(at), 1)
			}
			return how.MaxTime
		}
		first := how
		first.MaxSteps, first.MaxRuns, first.MaxTime = longSteps, 1, left() // tells whether there is an end to come to
		more, err := again(first)
		if err == nil && more != nil && !more.Complete && more.Limited == 0 {
			all := how
			all.MaxSteps, all.MaxTime = longSteps, left()
			more, err = again(all)
		}
		if err == nil && more != nil && (more.Complete && more.Limited == 0 || fails(more)) {
			return more, nil
		}
		b.Guards = guards
		return x, err
	}
	return x, nil
}

// exhaust explores a program. The statements that are seen to race become guards: the
// binary has them afterwards. If ctx ends, the result is what is known by then.
func (b *guardable) exhaust(ctx context.Context, how Exhaustion, opts Options, rep reporter) (*Exhausted, error) {
	defer rep.stage("explore")()
	began := time.Now()
	guards := newAccessGroups(b.side)
	guards.raced = b.raced
	job := orchestrate.ExhaustOptions{
		RunOptions: orchestrate.RunOptions{Timeout: opts.Watchdog, MaxSteps: cmp.Or(how.MaxSteps, exhaustRunSteps)},
		Awaits:     b.awaits, Stalls: how.Stalls, Values: how.Values, Seed: orchestrate.Draw(how.Draw), Bounding: how.Bounding, MaxProcesses: runProcesses,
		Parallel: cmp.Or(how.Parallel, opts.processors()),
	}
	var earlier *orchestrate.Exhaustive
	if len(how.Frontier) > 0 {
		f, err := readFrontier(how.Frontier, b.digest, how)
		if err != nil {
			return nil, err
		}
		job.Values, how.Values = f.Values, f.Values
		f.restore(guards)
		job.Frontier, earlier = f.Nodes, f.Earlier
	}
	for round := 1; ; round++ {
		b.Guards = guards.keysOf()
		x, again, err := exhaustWith(ctx, b.Binary, guards, job, how, began)
		if again && err == nil && round < exhaustRounds {
			job.Frontier, earlier = nil, nil
			continue
		}
		if x == nil {
			return nil, err
		}
		if earlier != nil {
			x.Join(earlier)
		}
		limits := uncontrolled(b.diagnostics, x.Reached)
		if again {
			limits = append(limits, "data races behind which there are no guards, or durations that the clock is compared with, still showed in the last round")
			x.Rest = nil // it would go on without them
		}
		if out, saveErr := exhausted(x, guards, limits, how, b.digest); err != nil || saveErr != nil || !b.onlyPersists(out) {
			return out, errors.Join(err, saveErr)
		} else if alone := b.exhaustAlone(ctx, guards, job, how, began); alone != nil {
			return alone, nil
		} else {
			return out, ctx.Err()
		}
	}
}

// persistingRuns bounds the schedules that are run in processes of their own.
const persistingRuns = 200

// diagnosed are the diagnostics that a process for each run cures, or the others.
func (b *guardable) diagnosed(persists bool) []parse.Diagnostic {
	return slices.DeleteFunc(slices.Clone(b.diagnostics), func(d parse.Diagnostic) bool { return d.Persists != persists })
}

// onlyPersists reports whether all that an exploration leaves open is what runs leave to others in their process, and
// it has so few runs that each may have its own.
func (b *guardable) onlyPersists(x *Exhausted) bool {
	if !x.Complete && !x.Tainted || x.Runs > persistingRuns {
		return false
	}
	known := uncontrolled(b.diagnosed(true), x.Reached)
	if x.Tainted {
		known = append(known, x.Stopped)
	}
	return len(x.Covered.Limits) > 0 && !slices.ContainsFunc(x.Covered.Limits, func(l string) bool { return !slices.Contains(known, l) })
}

// exhaustAlone explores a program anew, with a process for each run, where nothing else is left to do. It is nil if that
// does not come to an end.
func (b *guardable) exhaustAlone(ctx context.Context, guards *accessGroups, job orchestrate.ExhaustOptions, how Exhaustion, began time.Time) *Exhausted {
	job.Alone, job.Frontier = true, nil
	how.Frontier = nil
	if how.MaxRuns == 0 || how.MaxRuns > persistingRuns {
		how.MaxRuns = persistingRuns
	}
	before := b.Guards
	for range exhaustRounds {
		b.Guards = guards.keysOf()
		x, again, err := exhaustWith(ctx, b.Binary, guards, job, how, began)
		if again && err == nil {
			continue
		}
		if err != nil || x == nil || !x.Complete {
			break
		}
		out, err := exhausted(x, guards, uncontrolled(b.diagnosed(false), x.Reached), how, b.digest)
		if err != nil {
			break
		}
		return out
	}
	b.Guards = before
	return nil
}

// exhaustWith explores a binary: first a few runs, which may show that guards are
// missing, then the rest. It reports whether they are, so that the exploration has to
// begin again. If ctx ends, the result is what is known by then.
func exhaustWith(ctx context.Context, b *orchestrate.Binary, guards *accessGroups, job orchestrate.ExhaustOptions, how Exhaustion, began time.Time) (sum *orchestrate.Exhaustive, again bool, err error) {
	for {
		job.Accesses, job.Misuse, job.Durations = guards.list(), guards.misuse, guards.durations
		job.MaxRuns, job.TotalSteps = how.MaxRuns, how.TotalSteps
		if sum != nil {
			job.MaxRuns, job.TotalSteps = rest(how.MaxRuns, sum.Runs), rest(how.TotalSteps, sum.Steps)
		} else if len(job.Frontier) == 0 && (how.MaxRuns == 0 || how.MaxRuns > scoutRuns) {
			job.MaxRuns = scoutRuns
		}
		if how.MaxTime > 0 {
			job.MaxTime = max(how.MaxTime-time.Since(began), time.Second)
		}
		x, err := b.Exhaust(ctx, job)
		if x == nil {
			return nil, false, err
		}
		scouted := sum == nil && job.MaxRuns == scoutRuns && x.Runs >= scoutRuns && !x.Complete && x.Stopped == ""
		if sum != nil {
			x.Join(sum)
		}
		sum = x
		raced := guards.add(x.Races, true)
		raced = guards.add(x.Unordered, false) || raced
		misused := x.Misuse && !guards.misuse
		guards.misuse = guards.misuse || misused
		compared := false
		if how.Stalls != 0 {
			known := len(guards.durations)
			guards.durations = union(guards.durations, x.Durations)
			compared = len(guards.durations) > known
		}
		if again = raced || misused || compared; again || err != nil || !scouted {
			return sum, again, err
		}
		job.Frontier = x.Rest
	}
}

// rest is what is left of a bound, of which 0 is none.
func rest(bound, used int) int {
	if bound == 0 {
		return 0
	}
	return max(bound-used, 1)
}

// exhausted is the result of the last round.
func exhausted(x *orchestrate.Exhaustive, g *accessGroups, limits []string, how Exhaustion, digest string) (*Exhausted, error) {
	out := &Exhausted{Exhaustive: x, Sidecar: g.side, Accesses: g.ids(), Covered: artifact.Exhaustive{
		Schedules: x.Runs, Cut: x.Cut, Complete: x.Complete, Timed: x.Timed, Stalls: how.Stalls, Preemptions: preemptions(x.Preemptions),
		Limits: slices.Concat(limits, x.Bounds, g.unguarded),
	}}
	for _, e := range x.Ends {
		if isError(e) {
			out.Covered.Errors++
		}
	}
	for _, id := range g.racing() {
		if s, ok := g.side.Site(id); ok {
			out.Guarded = append(out.Guarded, s)
		}
	}
	if x.Stopped != "" {
		out.Covered.Limits = append(out.Covered.Limits, x.Stopped)
	}
	if len(x.Rest) == 0 {
		return out, nil
	}
	earlier := *x
	earlier.Rest = nil
	saved, err := json.Marshal(savedFrontier{digest, how.Stalls, how.Values, how.Draw, g.guards, g.group, g.writes, g.unguarded, g.misuse, g.durations, x.Rest, &earlier})
	if err != nil {
		return out, fmt.Errorf("frontier of an exploration: %w", err)
	}
	x.Rest = saved
	return out, nil
}

// clockSingly is how many places where the clock decides as a number are listed.
const clockSingly = 3

// uncontrolled are the operations without guards, where the clock decides as a number, and how many
// accesses to memory are not looked at for races, but for those that were not executed.
func uncontrolled(diagnostics []parse.Diagnostic, reached []int) (out []string) {
	numbers := 0
	for _, d := range diagnostics {
		if d.Access || d.Reach != 0 && !slices.Contains(reached, d.Reach) {
			continue
		}
		if d.Number {
			if numbers++; numbers > clockSingly {
				continue
			}
		}
		out = append(out, d.String())
	}
	if numbers > clockSingly {
		out = append(out, fmt.Sprintf("%d other places where the clock decides as a number", numbers-clockSingly))
	}
	if text := unseenAccesses(diagnostics, reached); text != "" {
		out = append(out, text)
	}
	return out
}

// sharedFiles says which calls do several things to the file system, between which others use the same files.
func sharedFiles(diagnostics []parse.Diagnostic, reached []int) (out []string) {
	for _, d := range diagnostics {
		if d.Files && slices.Contains(reached, d.Reach) {
			out = append(out, d.String())
		}
	}
	return out
}

// unseenAccesses says how many accesses to memory were executed and are not looked at for
// races, if there are any.
func unseenAccesses(diagnostics []parse.Diagnostic, reached []int) string {
	accesses, first := 0, ""
	for _, d := range diagnostics {
		if !d.Access || d.Reach != 0 && !slices.Contains(reached, d.Reach) {
			continue
		}
		if accesses++; accesses == 1 {
			first = d.String()
		}
	}
	if accesses == 0 {
		return ""
	}
	return fmt.Sprintf("%d accesses to memory are not looked at for data races, as at %s", accesses, first)
}

// accessGroups are the statements that touch memory and are guards. Those that were
// seen to race, directly or with a third one, are a group.
type accessGroups struct {
	side      *artifact.Sidecar
	keys      map[string]artifact.Site
	guards    []int
	group     map[int]int // of the sites that race
	writes    map[int]bool
	unguarded []string
	misuse    bool // goroutines stop at all minor guards
	// durations are those that the clock is compared with and that the program does not name.
	durations []time.Duration
	raced     func(race string) // if not nil, is called when certain ones are added
}

func newAccessGroups(side *artifact.Sidecar) *accessGroups {
	return &accessGroups{
		side: side, keys: orchestrate.SitesByKey(side), group: map[int]int{}, writes: map[int]bool{},
	}
}

// add adds the statements of data races, which are certain or not. It reports whether there
// are new ones.
func (a *accessGroups) add(races []orchestrate.Race, certain bool) (added bool) {
	if certain && len(races) > 0 && a.raced != nil {
		a.raced(seenRace(orchestrate.Accesses(a.side, races[0])))
	}
	for _, r := range races {
		var ids []int
		for _, side := range []orchestrate.RaceAccess{r.First, r.Second} {
			s, ok := a.keys[side.Site]
			if !ok || s.Kind != sites.Stmt.String() && s.Kind != sites.Store.String() && s.Kind != sites.Atomic.String() {
				text := fmt.Sprintf("%s: a data race with which others cannot be interleaved: %s", side.Source, side.String())
				if certain && !slices.Contains(a.unguarded, text) {
					a.unguarded = append(a.unguarded, text)
				}
				continue
			}
			ids = append(ids, s.ID)
			writes := strings.Contains(side.Op, "write")
			if !slices.Contains(a.guards, s.ID) {
				a.guards = append(a.guards, s.ID)
				added = true
			}
			if writes && !a.writes[s.ID] {
				a.writes[s.ID] = true
				added = true
			}
		}
		for _, id := range ids {
			if a.group[id] == 0 {
				a.group[id] = id
				added = true
			}
		}
		if len(ids) == 2 && a.group[ids[0]] != a.group[ids[1]] {
			from, to := a.group[ids[0]], a.group[ids[1]]
			for id, g := range a.group {
				if g == from {
					a.group[id] = to
				}
			}
			added = true
		}
	}
	return added
}

// keysOf are the keys of the guards.
func (a *accessGroups) keysOf() []string {
	keys := []string{}
	for _, id := range a.ids() {
		if s, ok := a.side.Site(id); ok {
			keys = append(keys, s.Key)
		}
	}
	return keys
}

func (a *accessGroups) ids() []int { return slices.Sorted(slices.Values(a.guards)) }

// racing are the sites that are in a group.
func (a *accessGroups) racing() (out []int) {
	for _, id := range a.ids() {
		if a.group[id] != 0 {
			out = append(out, id)
		}
	}
	return out
}

func (a *accessGroups) list() (out []orchestrate.AccessGuard) {
	for _, id := range a.ids() {
		if s, ok := a.side.Site(id); ok && a.group[id] != 0 {
			out = append(out, orchestrate.AccessGuard{Site: s.Key, Group: a.group[id], Writes: a.writes[id]})
		}
	}
	return out
}

// exhaust runs the program of a deep pass under every schedule, if what is known by then
// leaves something open, or a few schedules show a data race: what the model takes for one
// step is not one then. What it shows is among the ends of runs afterwards.
func (d *deep) exhaust(ctx context.Context) error {
	if why := ownChanges(d.second.Manifest()); why != "" {
		d.runs.Exhaustive = &artifact.Exhaustive{Limits: []string{why}}
		return nil
	}
	certain := d.certain()
	if certain {
		if d.found() {
			return nil
		}
		raced, err := d.unguardedRaces(ctx)
		if err != nil || !raced {
			return err
		}
	}
	// An exploration beside the model has runs that are as long as they have to be.
	if d.runs.Failing != "" || d.schedules == nil && d.runs.Runs > 0 && d.runs.Limited == d.runs.Runs || d.runs.Uncontrolled > 0 {
		if certain || d.found() {
			return nil
		}
		_, err := d.unguardedRaces(ctx) // they may be why
		d.nameLent()
		return err
	}
	part, cancel := d.opts.within(ctx, exhaustShare)
	defer cancel()
	var found explored
	var err error
	if d.schedules != nil {
		done := d.rep.stage("explore")
		waited := d.tellRaces()
		found, err = d.schedules.result(part, d.asksOnlyFailures())
		waited()
		done()
	} else {
		found, err = d.program.everySchedule(part, d.opts, d.rep, func(*Exhausted) bool { return !d.asksOnlyFailures() })
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case len(found.rounds) > 0:
		d.runs.Exhaustive = coverage(found.rounds)
	case err != nil && cut(ctx, part) == "" && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled):
		d.runs.Exhaustive = &artifact.Exhaustive{Limits: []string{err.Error()}}
	}
	for _, x := range found.rounds {
		d.takeExhaustive(x)
		d.takeRaces(x.Exhaustive, false)
		d.lent = union(d.lent, x.Kept)
	}
	d.nameLent()
	if len(d.lent) > 0 && d.opts.raced != nil && slices.ContainsFunc(found.rounds, fails) {
		d.opts.raced(d.lent[0] + ": a value is used of which a library may have kept a pointer") // only a program with its accesses recorded stops at those uses
	}
	if found.bounded != nil {
		d.takeBounded(found.bounded)
	}
	if d.runs.Exhaustive.Proved() {
		d.runs.RaceRuns = 0
		if !d.recorded && len(d.runs.Races)+len(d.runs.WordRaces) == 0 {
			d.runs.RaceSchedules = d.runs.Exhaustive.Schedules
		}
	}
	if d.recorded { // few of all schedules may have the race, and so none of the runs that were watched
		return d.confirmRaces(ctx)
	}
	return nil
}

// tellRaces has Options.raced called as soon as the exploration beside the model shows a data race, until the function is
// called that it returns: what is known leaves something open, and an exploration with races takes long.
func (d *deep) tellRaces() (stop func()) {
	if d.opts.raced == nil {
		return func() {}
	}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-d.schedules.raced:
			d.opts.raced(d.schedules.race)
			if d.opts.Budget > 0 { // the check that follows needs what is left of it
				d.schedules.end(errRaces)
			}
		case <-done:
		}
	}()
	return func() { close(done); <-ended }
}

// tellRace has Options.raced called if the exploration beside the model has shown a data race by now, and what is known leaves
// something open whatever comes: the check that follows needs what is left of the budget.
func (d *deep) tellRace() {
	if d.opts.raced != nil && d.schedules != nil && isClosed(d.schedules.raced) && !d.proves(true) {
		d.opts.raced(d.schedules.race)
	}
}

// nameLent names the uses of what libraries may have kept, unless all schedules were run. In
// the model they are one step with what is before them.
func (d *deep) nameLent() {
	if d.runs.Exhaustive.AllWithoutStalls() {
		return
	}
	for _, at := range d.lent {
		d.runs.Races = union(d.runs.Races, []string{at + ": a value is used of which a library may have kept a pointer: what it does to it in calls of other goroutines was not looked at in every order"})
	}
}

// certain reports whether nothing is left open: all possible errors are decided, and one
// is real or the model is exact.
func (d *deep) certain() bool {
	switch {
	case d.has(artifact.Unconfirmed):
		return false
	case d.found():
		return true
	case d.has(artifact.Real): // with a stall, so far
		return false
	}
	return d.proves(false)
}

// has reports whether a suspect has an outcome.
func (d *deep) has(outcome string) bool {
	return slices.ContainsFunc(slices.Concat(d.cases, d.observed), func(s *suspect) bool { return s.outcome == outcome })
}

// proves reports whether the model leaves nothing open, but for what all schedules without
// a stall show, if they were run.
func (d *deep) proves(allWithoutStalls bool) bool {
	return len(limits(d.second.Queries(), d.second.Verdicts(), d.side, allWithoutStalls)) == 0 && len(gapsOf(&d.runs)) == 0
}

// asksOnlyFailures reports whether nothing is left open but whether the test fails, for
// which schedules with stalls need not be run.
func (d *deep) asksOnlyFailures() bool {
	return d.proves(true) && !d.has(artifact.Unconfirmed)
}

// found reports whether an error is real that needs no stall, or is one of the program: a test
// that fails with a stall may do so without one, too.
func (d *deep) found() bool {
	return slices.ContainsFunc(slices.Concat(d.cases, d.observed), func(s *suspect) bool {
		return s.outcome == artifact.Real && (s.replay == nil || !d.dependsOnTiming(s.query.Kind, s.query.File, s.replay))
	})
}

// Before a model without an error is believed, so many schedules are looked at for data races, of so many steps together; where there
// are more, which are much like these, so are some random runs. If time is short, fewRaceSchedules are enough.
const (
	raceSchedules     = 1000
	raceScheduleSteps = 200_000
	raceSamples       = 100
	fewRaceSchedules  = 32
)

// unguardedRaces runs a few schedules, none equivalent to another one, and reports whether
// they show data races in memory of which the model has no guards, or uses of what libraries
// may have kept, which the model does not have as steps either. Whether two accesses
// race hardly depends on the schedule, as a rule: nothing orders them in most. But a time limit may
// order them as long as nobody is slow, and one of them may be made in few schedules only.
func (d *deep) unguardedRaces(ctx context.Context) (bool, error) {
	part, cancel := d.opts.within(ctx, exhaustShare)
	defer cancel()
	unseen := func() {
		if !d.recorded { // else random runs have looked for them
			why := cmp.Or(cut(ctx, part), "the program could not be run with its accesses to memory recorded")
			d.runs.Races = append(d.runs.Races, "data races were not looked for: "+why)
		}
	}
	b, err := d.program.guardable(part, d.opts, d.rep)
	if err != nil {
		unseen()
		return false, ctx.Err()
	}
	defer func() { _ = b.Close() }()
	defer d.rep.stage("explore")()
	runs, all := 0, 0 // where there are more, and where these are all
	for _, stalls := range []int{0, -1} {
		x, err := b.Exhaust(part, orchestrate.ExhaustOptions{
			RunOptions: orchestrate.RunOptions{Timeout: d.opts.Watchdog, MaxSteps: exhaustRunSteps},
			Awaits:     b.awaits, Stalls: stalls, MaxRuns: raceSchedules, TotalSteps: raceScheduleSteps, MaxProcesses: systematicProcesses,
		})
		if x == nil {
			unseen()
			break
		}
		if whole := x.Complete && x.Limited == 0 && !x.Untaken; whole {
			all = x.Runs
		} else {
			runs += x.Runs
			if err == nil && x.Runs > 0 && !d.recorded {
				var sampled int
				sampled, err = b.sampleRaces(part, d.opts, stalls == 0, x)
				runs += sampled
			}
		}
		d.lent = union(d.lent, x.Kept)
		unlooked := sharedFiles(b.diagnostics, x.Reached)
		if text := unseenAccesses(b.diagnostics, x.Reached); text != "" {
			unlooked = append(unlooked, text)
		}
		if d.recorded {
			d.watchEnds(x, nil)
			d.search.Limits = union(d.search.Limits, unlooked)
		} else {
			d.takeRaces(x, true)
			d.runs.Races = union(d.runs.Races, unlooked)
		}
		if x.Runs == 0 || err != nil && x.Runs < fewRaceSchedules {
			unseen()
		}
		if x.Runs == 0 || err != nil || !x.Timed {
			break
		}
	}
	if d.recorded {
		if err := d.confirmRaces(ctx); err != nil {
			return false, err
		}
	} else if len(d.runs.Races)+len(d.runs.WordRaces) == 0 {
		if d.runs.RaceRuns = runs; runs == 0 {
			d.runs.RaceSchedules = all
		}
	}
	return len(d.runs.Races) > 0 || len(d.lent) > 0, ctx.Err()
}

// watchEnds takes up the data races of an exploration, with those of its guards that the program of the bundle lacks.
func (d *deep) watchEnds(x *orchestrate.Exhaustive, lacks map[string]bool) {
	for _, e := range x.Ends {
		if len(e.Races) == 0 {
			continue
		}
		known := len(d.raced)
		run := e.Plan
		run.Steps = without(run.Steps, lacks)
		d.watch(&orchestrate.Verdict{Races: e.Races}, run)
		for _, r := range d.raced[known:] {
			r.exhaustive, r.after = true, int(e.Seed)+1
		}
	}
	for _, r := range x.Races { // of a run with another one before it, say, there is no plan
		sides := orchestrate.Accesses(d.side, r)
		if !slices.ContainsFunc(d.raced, func(o *raced) bool { return pair(o.sides) == pair(sides) }) {
			d.runs.Races = union(d.runs.Races, []string{seenRace(sides)})
		}
	}
	d.search.Limits = union(d.search.Limits, x.Unseen)
}

// without are the steps of a plan at other guards.
func without(steps []artifact.PlanStep, guards map[string]bool) []artifact.PlanStep {
	return slices.DeleteFunc(slices.Clone(steps), func(s artifact.PlanStep) bool { return guards[s.Site] })
}

// sampleRaces adds what a few random runs show of data races, and returns how many there were.
func (b *guardable) sampleRaces(ctx context.Context, opts Options, patient bool, to *orchestrate.Exhaustive) (int, error) {
	x, err := b.Explore(ctx, orchestrate.ExploreOptions{
		RunOptions: orchestrate.RunOptions{Timeout: opts.Watchdog, MaxSteps: exhaustRunSteps},
		Runs:       raceSamples, TotalSteps: raceScheduleSteps, Strategy: orchestrate.StrategySURW, Patient: patient, NoReplay: true, MaxProcesses: systematicProcesses,
		Recorded: func(_ uint64, r *orchestrate.Recording) error {
			to.Races = append(to.Races, r.Verdict.Races...)
			to.Unseen = union(to.Unseen, r.Verdict.RaceLimits)
			return nil
		},
	})
	if x == nil {
		return 0, err
	}
	return x.Runs, err
}

// takeRaces notes data races. Those between statements that are guards of the model, both of
// them with one access in a step, say nothing against the model, which has the read and the
// write of an assignment as two steps, where the runs have one; but if both are of more than a
// machine word, one may see a part of what the other one writes, which no order of steps does.
// Nor has the model every order of an access behind something else in its statement that has a
// guard: there they are one step.
func (d *deep) takeRaces(x *orchestrate.Exhaustive, byModel bool) {
	ordered := d.orderedAccesses(x.Races)
	found := slices.Clone(x.Unseen)
	var words []string
	for _, r := range x.Races {
		text := unordered(orchestrate.Accesses(d.side, r))
		torn := r.First.Wide && r.Second.Wide
		apart := r.First.Apart || r.Second.Apart
		if byModel && !torn && !apart && ordered(r.First) && ordered(r.Second) {
			words = append(words, text)
			continue
		}
		if d.opts.raced != nil {
			d.opts.raced(seenRace(orchestrate.Accesses(d.side, r)))
		}
		found = append(found, "a data race, behind which the program may do what no order of its statements does: "+text)
	}
	d.runs.Races = union(d.runs.Races, found)
	d.runs.WordRaces = union(d.runs.WordRaces, words)
}

// orderedAccesses is the condition that the model has every order of an access, one side of
// one of races, and others: its statement is a guard, and does nothing else to what races in
// the same step. Where a statement has a guard in front of its write, too, that is a step of
// its own.
func (d *deep) orderedAccesses(races []orchestrate.Race) func(orchestrate.RaceAccess) bool {
	keys := orchestrate.SitesByKey(d.side)
	guarded := func(key string) bool {
		s, ok := keys[key]
		return ok && slices.Contains(d.side.Accesses, s.ID)
	}
	type accesses struct{ reads, writes map[string]bool }
	of := map[string]accesses{}
	for _, r := range races {
		for _, a := range []orchestrate.RaceAccess{r.First, r.Second} {
			all, ok := of[a.Site]
			if !ok {
				all = accesses{map[string]bool{}, map[string]bool{}}
				of[a.Site] = all
			}
			if strings.Contains(a.Op, "write") {
				all.writes[a.What] = true
			} else {
				all.reads[a.What] = true
			}
			if a.Updates {
				all.reads[a.What] = true
			}
		}
	}
	return func(a orchestrate.RaceAccess) bool {
		n, m := len(of[a.Site].reads), len(of[a.Site].writes)
		if guarded(sites.StoreKey(a.Site)) {
			return guarded(a.Site) && n <= 1 && m <= 1
		}
		return guarded(a.Site) && n+m <= 1
	}
}

// union has the elements of two lists, ascending, each once.
func union[T cmp.Ordered](a, b []T) []T {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// comesTo reports whether a run has ended in the error that a query asks for, as e has it, or may have.
func (d *deep) comesTo(end orchestrate.End, q artifact.Query, e artifact.Expect) bool {
	if crash(end.Kind) {
		site, _ := d.siteOf(end.Site)
		return same(q, end.Kind, site)
	}
	of := append([]artifact.At{{G: end.G, Site: end.Site}}, end.Plan.Expect.Goroutines...)
	return end.Kind == e.Kind && !slices.ContainsFunc(e.Goroutines, func(at artifact.At) bool {
		return !slices.ContainsFunc(of, func(o artifact.At) bool { return o.Site == at.Site && (at.G == "" || o.G == at.G) })
	})
}

// takeExhaustive takes up how the runs of an exploration ended, and decides the possible
// errors that it would have shown.
func (d *deep) takeExhaustive(x *Exhausted) {
	guards := map[string]bool{}
	for _, id := range x.Accesses {
		if s, ok := d.side.Site(id); ok && !slices.Contains(d.side.Accesses, id) && s.Kind != sites.Atomic.String() {
			guards[s.Key] = true
		}
	}
	if d.recorded {
		d.watchEnds(x.Exhaustive, guards)
	}
	for _, e := range x.Ends {
		d.endsWell = d.endsWell || endsWell(e)
		d.takeRemaining(e)
		if e.Status != orchestrate.Completed || e.Kind == "" {
			continue
		}
		number := int(e.Seed) + 1
		e.Plan.Steps = without(e.Plan.Steps, guards) // the program of the bundle has none there
		d.ends = append(d.ends, ended{End: e, of: e.Count + 1, patient: x.Covered.Stalls == 0, exhaustive: true, number: number})
	}
	if !x.Covered.Proved() {
		return
	}
	for _, s := range d.cases {
		e, shows := d.sought(s)
		if s.query.Kind == artifact.KindPanic && !shows {
			// Where the program has no site, as for a loop over a function that goes on behind
			// its end, a run tells by its end alone.
			shows = !slices.ContainsFunc(x.Ends, func(e orchestrate.End) bool { return e.Kind == artifact.KindPanic })
		}
		if s.outcome != artifact.Unconfirmed || !shows {
			continue
		}
		if slices.ContainsFunc(x.Ends, func(end orchestrate.End) bool { return d.comesTo(end, s.query, e) }) {
			continue // the replay of that schedule decides it
		}
		if site, ok := d.side.Site(s.query.Site); ok && !d.target.IsTest() && e.Kind == artifact.KindLeak && slices.Contains(x.Stuck, site.Key) {
			continue // main returns, and does not wait for it
		}
		s.conclude(artifact.False, x.Covered.Coverage()+", and none shows it")
	}
}
