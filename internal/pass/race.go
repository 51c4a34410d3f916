package pass

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orchestrate"
)

// RaceRuns is how many runs under random schedules a deep pass does to look for
// data races, besides its replays; raceSteps bounds each of them.
const (
	RaceRuns  = 200
	raceSteps = 5000
)

// CategoryRace is the category of findings that are data races. No query asks
// for them: they show in runs.
const CategoryRace = artifact.KindRace

// raced are two statements that were seen to race.
type raced struct {
	sides []artifact.FindingGoroutine // of the first race between them
	run   artifact.Plan               // that had it
	after int                         // how many runs that had been, replays too
	whats []string                    // the expressions in all their races
	// exhaustive: the run is of the exploration of every schedule, whose program has other guards.
	exhaustive bool
}

// racesShare is the share of the budget that has to be left for a check that looks for
// data races, behind one that did not.
const racesShare = 0.25

// checkRaces checks a program, and if its runs have shown a data race, though none was
// looked for, checks it again so that they are: a data race is an error by itself. What that
// does not reproduce stays a limit of the first result.
func checkRaces(ctx context.Context, opts Options, check func(Options) (*artifact.Bundle, error)) (*artifact.Bundle, error) {
	begun := time.Now()
	shown := make(chan struct{})
	race := ""
	model := opts.ownModel()
	if !model.Races && len(model.Categories) == 0 { // else only these categories are asked for
		var once sync.Once
		opts.raced = func(text string) {
			once.Do(func() {
				race = text
				close(shown)
			})
		}
		if opts.Budget > 0 {
			opts.superseded = shown
		}
	}
	b, err := check(opts)
	if err != nil || !isClosed(shown) || Conclude(b).Real > 0 {
		return b, err
	}
	// The first result may have been cut before it could say so itself.
	said := func() (*artifact.Bundle, error) {
		if b.Runs() == nil || len(b.Runs().Races) > 0 {
			return b, nil
		}
		return withRuns(b, func(r *artifact.Runs) { r.Races = []string{race} })
	}
	if isClosed(opts.Interrupt) || opts.Budget <= 0 && b.Runs().Cut != "" {
		return said()
	}
	model.Races = true
	opts.Model, opts.raced, opts.superseded = &model, nil, nil
	if opts.Budget > 0 {
		left := opts.Budget - time.Since(begun)
		if left < opts.share(racesShare) {
			return said()
		}
		opts.Budget = left
	}
	again, err := check(opts)
	switch {
	case ctx.Err() != nil: // the first result is whole
		return said()
	case err != nil:
		return nil, err
	case Conclude(again).Real == 0:
		return said()
	}
	return again, nil
}

// seenRace says of a data race that no replay has shown it yet.
func seenRace(sides []artifact.FindingGoroutine) string {
	return "a data race, which no run has reproduced: " + unordered(sides)
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// records reports whether the program in a bundle is instrumented to find data
// races.
func records(second *artifact.Bundle) (bool, error) {
	r, err := recordedOptions(second)
	return r.Model.Races, err
}

// watch takes up the data races of a run that did these steps.
func (d *deep) watch(v *orchestrate.Verdict, run artifact.Plan) {
	for _, l := range v.RaceLimits {
		if !slices.Contains(d.search.Limits, l) {
			d.search.Limits = append(d.search.Limits, l)
		}
	}
	for _, r := range v.Races {
		sides := orchestrate.Accesses(d.side, r)
		i := slices.IndexFunc(d.raced, func(o *raced) bool { return pair(o.sides) == pair(sides) })
		if i < 0 {
			i = len(d.raced)
			d.raced = append(d.raced, &raced{sides: sides, run: run, after: d.search.Replays + d.search.Runs})
		}
		for _, what := range []string{r.First.What, r.Second.What} {
			if o := d.raced[i]; what != "" && !slices.Contains(o.whats, what) {
				o.whats = append(o.whats, what)
			}
		}
	}
}

// pair tells races apart: by the two statements, in either order.
func pair(sides []artifact.FindingGoroutine) [2]string {
	a, b := statement(sides[0]), statement(sides[1])
	return [2]string{min(a, b), max(a, b)}
}

// place is where the race is said to be: the side that comes first in the
// source, whichever a run does first.
func (r *raced) place() artifact.FindingGoroutine {
	return slices.MinFunc(r.sides, func(a, b artifact.FindingGoroutine) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
}

func statement(g artifact.FindingGoroutine) string {
	return fmt.Sprintf("%s:%d %s", g.File, g.Line, g.Site)
}

// races makes findings of all data races seen.
func (d *deep) races(ctx context.Context) error {
	if d.search.Stopped == "" || d.racesCut {
		part, cancel := d.opts.within(ctx, runsShare)
		defer cancel()
		if err := d.watchRuns(ctx, part, RaceRuns); err != nil {
			return err
		}
	}
	return d.confirmRaces(ctx)
}

// confirmRaces makes findings of the data races that runs have shown since it was called. What there is no time for, or no program,
// is said.
func (d *deep) confirmRaces(ctx context.Context) error {
	late, cancel := d.opts.late(ctx)
	defer cancel()
	for ; d.replayed < len(d.raced); d.replayed++ {
		r := d.raced[d.replayed]
		if d.binary == nil || cut(ctx, late) != "" {
			d.runs.Races = union(d.runs.Races, []string{seenRace(r.sides)})
			continue
		}
		if err := d.raceAgain(ctx, r); err != nil {
			return err
		}
	}
	d.out.SetRaces(&d.search)
	return nil
}

// errEnough ends an exploration.
var errEnough = errors.New("enough runs")

// firstRaceRuns watches some of the runs: what is asked for has them before others take the time.
func (d *deep) firstRaceRuns(ctx context.Context) error {
	part, cancel := d.opts.lasting(ctx, raceRunsShare)
	defer cancel()
	return d.watchRuns(ctx, part, RaceRuns/5)
}

// watchRuns watches runs under random schedules, until there are so many, or part ends. If many of them are out of
// control it gives up.
func (d *deep) watchRuns(ctx, part context.Context, most int) error {
	if d.search.Runs >= most {
		return nil
	}
	defer d.rep.stage("explore")()
	if d.raceSchedules == nil {
		d.raceSchedules, d.search.Ends = map[string]bool{}, map[string]int{}
	}
	d.search.Stopped, d.racesCut = "", false
	uncontrolled := 0
	limits := d.limits(raceSteps)
	how := orchestrate.ExploreOptions{
		Runs: most - d.search.Runs, Seed: uint64(d.search.Runs), Strategy: d.opts.Strategy, NoReplay: true, RunOptions: limits,
		Recorded: func(_ uint64, r *orchestrate.Recording) error {
			d.search.Runs++
			d.raceSchedules[fmt.Sprint(r.Plan.Steps)] = true
			d.watch(r.Verdict, r.Plan)
			if k := r.Verdict.Kind; k != "" && k != artifact.KindRace {
				d.search.Ends[k]++
			}
			switch r.Verdict.Status {
			case orchestrate.Limit:
				d.search.Limited++
			case orchestrate.Unsupported:
				if uncontrolled++; 10*uncontrolled > d.search.Runs {
					d.search.Stopped = r.Verdict.Reason
					return errEnough
				}
			}
			return nil
		},
	}
	var err error
	for _, one := range d.opts.parts(how) {
		var x *orchestrate.Exploration
		if x, err = d.binary.Explore(part, one); x != nil {
			d.take(x, how, d.runs.Systematic+d.runs.Runs)
		}
		if err != nil {
			break
		}
	}
	d.search.Schedules = len(d.raceSchedules)
	switch {
	case err == nil || errors.Is(err, errEnough):
		return nil
	case cut(ctx, part) != "":
		d.search.Stopped, d.racesCut = cut(ctx, part), true
		return nil
	}
	d.search.Stopped, err = d.noRuns(ctx, err, limits)
	return err
}

// noRuns says why there are no runs under random schedules, where the program is the
// reason of the error: one that ends before its entry, say, has none.
func (d *deep) noRuns(ctx context.Context, err error, limits orchestrate.RunOptions) (string, error) {
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	seed := uint64(0)
	r, again := d.binary.Record(ctx, &seed, limits)
	if again != nil || r.Verdict.Status != orchestrate.Unsupported {
		return "", errors.Join(err, again)
	}
	return r.Verdict.Reason, nil
}

// unordered says what the two sides of a race do, and where.
func unordered(sides []artifact.FindingGoroutine) string {
	at := func(g artifact.FindingGoroutine) string {
		return fmt.Sprintf("%s at %s:%d", g.Operation, g.File, g.Line)
	}
	return fmt.Sprintf("%s and %s, which nothing orders", at(sides[0]), at(sides[1]))
}

// raceAgain has the program race again: by the steps up to there, twice.
func (d *deep) raceAgain(ctx context.Context, r *raced) error {
	first, second := r.sides[0], r.sides[1]
	place := r.place()
	q := artifact.Query{
		Category: CategoryRace, Kind: artifact.KindRace, File: place.File, Line: place.Line,
		Description: artifact.KindRace + ": " + unordered(r.sides),
	}
	if site, ok := d.siteOf(place.Site); ok && site.Line == place.Line {
		q.Col = site.Col
	}
	q = d.ask(q)
	plan := r.run
	plan.Expect = artifact.Expect{
		Kind: artifact.KindRace, Goroutines: []artifact.At{{G: first.G, Site: first.Site}, {G: second.G, Site: second.Site}},
	}
	e := evidence{plan: plan, origin: fromRace, goesOn: true}
	if r.exhaustive {
		begun := d.withoutMinor(plan)
		// Who has no step left goes on by itself at the end of a plan.
		for n := len(begun.Steps); n > 0 && begun.Steps[n-1].G != first.G && begun.Steps[n-1].G != second.G; n-- {
			begun.Steps = begun.Steps[:n-1]
		}
		e.variants = []artifact.Plan{plan, begun}
	}
	v, err := d.confirm(ctx, e)
	if err != nil {
		return err
	}
	sides, shown := d.sidesIn(r, v)
	r.sides = sides // the stacks of this run; the one that was seen may have kept none
	s := d.suspectOf(q, v)
	s.raced, s.run = r, r.after
	switch {
	case v.Status != orchestrate.Reproduced:
		s.conclude(artifact.Unconfirmed, "seen in another run, but not again: "+v.Reason)
	case !shown: // an initialiser has no site to tell it by
		s.conclude(artifact.Unconfirmed, "seen in another run, but not again: its replay has shown another one")
	default:
		s.conclude(artifact.Real, "")
	}
	return d.keep(s)
}

// describeRace says which accesses race.
func (d *deep) describeRace(f *artifact.Finding, r *raced) {
	sides := slices.Clone(r.sides)
	for i := range sides {
		for _, g := range f.Goroutines {
			if g.G == sides[i].G {
				sides[i].Started = g.Started
			}
		}
	}
	f.Goroutines, f.Function = sides, r.place().Func
	f.Message += r.others()
}

// others says on what else the same statements race, "" if there is nothing.
func (r *raced) others() string {
	others := slices.DeleteFunc(slices.Clone(r.whats), func(what string) bool {
		return slices.ContainsFunc(r.sides, func(g artifact.FindingGoroutine) bool { return strings.HasSuffix(g.Operation, " of "+what) })
	})
	if len(others) == 0 {
		return ""
	}
	return "; the same statements race on " + strings.Join(others, ", ") + " too"
}
