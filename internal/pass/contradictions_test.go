package pass

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/explain"
	"github.com/vtrace/vtrace/internal/module"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/parse"
	"github.com/vtrace/vtrace/internal/source"
)

var (
	contradictionRuns    = flag.Int("contradictions", 0, "runs of each program in TestNoContradictions and its like; 0 is a few programs with few runs")
	contradictionTime    = flag.Duration("contradictiontime", time.Minute, "with -contradictions, the bound for the runs of each program")
	contradictionBudget  = flag.Duration("contradictionbudget", 30*time.Second, "with -contradictions, the budget of each check")
	contradictionModules = flag.String("contradictionmodules", "", `modules, "path@version", for TestNoContradictionsModules, separated by commas`)
)

// What a check claims of a program no run of it contradicts, be it one of those that
// the check has not done: no error is none, a query that is satisfied has no such
// error, and what is false does not happen.

// TestNoContradictions does that with the programs of the table:
//
//	go test ./internal/pass -run 'TestNoContradictions$' -contradictions 10000 -timeout 3h -v
func TestNoContradictions(t *testing.T) {
	all := &ledger{}
	n := 0
	t.Run("programs", func(t *testing.T) {
		tablePrograms(t, func(name string, spec source.Spec) {
			if n++; *contradictionRuns == 0 && (n%320 != 11 || testing.Short()) {
				return
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				all.add(noContradictions(t, load, spec, Options{}))
			})
		})
	})
	t.Log(all.tally)
}

// TestNoContradictionsVerdicts does it with the programs of TestVerdicts.
func TestNoContradictionsVerdicts(t *testing.T) {
	all := &ledger{}
	t.Run("programs", func(t *testing.T) {
		for i, file := range verdictPrograms(t) {
			if *contradictionRuns == 0 && (i%220 != 13 || testing.Short()) {
				continue
			}
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
				t.Parallel()
				spec, _ := unpack(t, file)
				all.add(noContradictions(t, load, spec, Options{}))
			})
		}
	})
	t.Log(all.tally)
}

// TestNoContradictionsModules does it with the concurrent tests of public modules. It
// needs the network and minutes:
//
//	go test ./internal/pass -run TestNoContradictionsModules -timeout 3h -v -contradictions 2000 \
//	    -contradictionbudget 20s -contradictiontime 20s -contradictionmodules MODULE@VERSION,...
func TestNoContradictionsModules(t *testing.T) {
	if *contradictionModules == "" {
		t.Skip("needs -contradictionmodules")
	}
	only, err := regexp.Compile(*followOnly)
	require.NoError(t, err)
	all := &ledger{}
	for _, m := range strings.Split(*contradictionModules, ",") {
		of := &ledger{}
		t.Run(m, func(t *testing.T) {
			dir, err := module.Fetch(t.Context(), m, t.TempDir())
			require.NoError(t, err)
			set, err := module.Load(t.Context(), dir)
			require.NoError(t, err)
			for _, e := range concurrentTests(set, only) {
				load := func(context.Context, source.Spec) (*program, error) {
					src, err := set.Program(e)
					if err != nil {
						return nil, err
					}
					return &program{source: src, sites: parse.Index(src)}, nil
				}
				t.Run(e.Func, func(t *testing.T) { of.add(noContradictions(t, load, set.Spec(), Options{})) })
			}
		})
		t.Logf("%s: %v", m, of.tally)
		all.add(of.tally)
	}
	t.Log(all.tally)
}

// tally is what programs and their runs came to.
type tally struct {
	programs, none, open, real, failed int // checks, by what they say; failed: no answer
	satisfied, refuted                 int // claims of the programs that are exact, and those that errors are false
	runs, short                        int // runs, and the programs with fewer than asked for
	errors, again                      int // ways in which runs ended in errors, and those that came again
	contradictions                     int
}

// ledger is the tally of programs that are checked side by side.
type ledger struct {
	mu sync.Mutex
	tally
}

func (a *ledger) add(b tally) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.programs += b.programs
	a.none += b.none
	a.open += b.open
	a.real += b.real
	a.failed += b.failed
	a.satisfied += b.satisfied
	a.refuted += b.refuted
	a.runs += b.runs
	a.short += b.short
	a.errors += b.errors
	a.again += b.again
	a.contradictions += b.contradictions
}

func (a tally) String() string {
	return fmt.Sprintf("%d programs: %d no error, %d open, %d real, %d without an answer; %d queries satisfied, %d errors false; %d runs, %d programs with fewer than asked for; %d ways to end in an error, %d of them came again; %d contradictions",
		a.programs, a.none, a.open, a.real, a.failed, a.satisfied, a.refuted, a.runs, a.short, a.errors, a.again, a.contradictions)
}

// strategies are the ways in which the schedules of runs are chosen; all have as many.
var strategies = []struct {
	name string
	// patient: time passes only when nothing else can happen, else at any moment.
	patient bool
	// everyLine: goroutines are held in front of every statement, also of those that
	// the model takes to be nobody else's business.
	everyLine bool
}{
	{"patient", true, false},
	{"impatient", false, false},
	{"patient, every line", true, true},
	{"impatient, every line", false, true},
}

// The short form has so many runs, and ends after so long with a program whose runs, or whose check, do not end.
const (
	shortRuns   = 1000
	shortTime   = 6 * time.Second
	shortBudget = 6 * time.Second
	// shortWatchdog ends runs of programs that hang, of which some do.
	shortWatchdog = 3 * time.Second
)

// noContradictions checks a program, and then runs it.
func noContradictions(t *testing.T, load loader, spec source.Spec, opts Options) tally {
	t.Helper()
	ctx := context.Background()
	runs, bound := shortRuns, shortTime
	opts.Search, opts.Budget, opts.Watchdog = Search{MaxStates: 200_000, MaxMemory: 2 << 30}, shortBudget, shortWatchdog
	if *contradictionRuns > 0 {
		runs, bound, opts.Budget, opts.Watchdog = *contradictionRuns, *contradictionTime, *contradictionBudget, 0
	}
	sum := tally{programs: 1}
	said, b, err := claimsOf(ctx, load, spec, opts)
	if err != nil {
		var internal *InternalError
		if errors.As(err, &internal) || *contradictionModules == "" {
			t.Errorf("no answer: %v", err)
		}
		t.Logf("no answer: %v", err)
		sum.failed++
		return sum
	}
	switch c := said.Conclusion; {
	case c.Real > 0:
		sum.real++
	case said.none:
		sum.none++
	default:
		sum.open++
	}
	for _, what := range said.of {
		if what == "false" {
			sum.refuted++
		} else {
			sum.satisfied++
		}
	}
	start := time.Now()
	for _, everyLine := range []bool{false, true} {
		against, err := said.hold(ctx, t, load, spec, b, opts, everyLine, runs/len(strategies), bound/time.Duration(len(strategies)), &sum)
		if err != nil {
			t.Logf("no runs: %v", err)
		}
		for _, what := range against {
			t.Error(what)
		}
		sum.contradictions += len(against)
	}
	if sum.runs < runs/len(strategies)*len(strategies) {
		sum.short++
	}
	t.Logf("%d runs in %v, %d ways to end in an error, %d of them came again; said: none %t, %d real, %d satisfied, %d false, limits %q",
		sum.runs, time.Since(start).Round(time.Second), sum.errors, sum.again, said.none, said.Real, sum.satisfied, sum.refuted, said.Limits)
	return sum
}

// TestContradictionsShow: what a check would have to say wrongly is found out.
func TestContradictionsShow(t *testing.T) {
	if testing.Short() {
		t.Skip("other tests have the same goroutines for the race detector")
	}
	t.Parallel()
	spec := source.Spec{Dir: "../../examples/rendezvous", Entry: "main"}
	_, b, err := claimsOf(context.Background(), load, spec, Options{})
	require.NoError(t, err)
	i := slices.IndexFunc(b.Findings(), func(f artifact.Finding) bool { return f.Verdict == artifact.Real })
	require.GreaterOrEqual(t, i, 0)
	f := b.Findings()[i]
	at := fmt.Sprintf("%s:%d", f.File, f.Line)
	for _, c := range []struct {
		said claims
		want string
	}{
		{claims{}, ""},
		{claims{none: true}, "but there is no error"},
		{claims{of: map[place]string{{f.Kind, at}: "false"}}, "is false"},
		{claims{of: map[place]string{{artifact.KindCloseOfNil, at}: "false"}}, ""},
	} {
		var sum tally
		got, err := c.said.hold(context.Background(), t, load, spec, b, Options{}, false, 100, time.Hour, &sum)
		require.NoError(t, err)
		require.Equal(t, 200, sum.runs)
		require.Equal(t, c.want == "", len(got) == 0, got)
		for _, what := range got {
			require.Contains(t, what, c.want)
		}
	}
}

// place is where an error is: its kind, and the key of the site or, of a crash, of
// which the site may not be known, the file and line.
type place struct{ kind, at string }

func errorAt(kind string, s artifact.Site) place {
	if crash(kind) {
		return place{kind, fmt.Sprintf("%s:%d", s.File, s.Line)}
	}
	return place{kind, s.Key}
}

// claims are what a check says that no run can do.
type claims struct {
	Conclusion
	none bool // there is no error
	// of errors at a place, "satisfied" if the model is exact, or "false".
	of map[place]string
}

// claimsOf checks a program, as Check does.
func claimsOf(ctx context.Context, load loader, spec source.Spec, opts Options) (said claims, b *artifact.Bundle, err error) {
	defer caught(&err)
	firstOf := map[*artifact.Bundle]*artifact.Bundle{} // a check may begin again
	b, err = checkRaces(ctx, opts, func(opts Options) (*artifact.Bundle, error) {
		return checkCompleted(opts, func(opts Options) (*artifact.Bundle, error) {
			opts, stop := opts.bounded(ctx)
			defer stop()
			one, s, err := first(ctx, load, spec, opts)
			if err != nil {
				return nil, err
			}
			if opts.Root == "" {
				opts.Root = s.program.source.Root
			}
			opts.Model = nil
			two, err := second(ctx, one, s, opts)
			if err != nil {
				return nil, err
			}
			b, err := deepen(ctx, two, s, opts)
			if err == nil {
				firstOf[b] = one
			}
			return b, err
		})
	})
	if err != nil {
		return said, nil, err
	}
	said.Conclusion = Conclude(b)
	said.none = !said.Inconclusive() && said.Real+said.TimingDependent+said.Notes == 0
	said.of = map[place]string{}
	// The queries of the first pass whose categories have no error are not asked again.
	for _, b := range []*artifact.Bundle{firstOf[b], b} {
		at := map[int]place{}
		for _, q := range b.Queries() {
			if s, ok := b.Sidecar().Site(q.Site); ok {
				at[q.Number] = errorAt(q.Kind, s)
			}
		}
		answers := map[place]bool{} // whether it is satisfied for all processes
		for _, v := range b.Verdicts() {
			if p, ok := at[v.Query]; ok {
				before, known := answers[p]
				answers[p] = v.Result == check.True.String() && (before || !known)
			}
		}
		for p, satisfied := range answers {
			if satisfied && len(said.Limits) == 0 {
				said.of[p] = "satisfied"
			} else {
				delete(said.of, p)
			}
		}
		if b.Manifest().Pass != artifact.PassDeep {
			continue
		}
		for _, f := range b.Findings() {
			p, ok := at[f.Query]
			if delete(said.of, p); ok && f.Verdict == artifact.False {
				said.of[p] = "false"
			}
		}
	}
	return said, b, nil
}

// hold runs the program of a check by the strategies for one way to guard it, and holds
// each error that comes again against what was said: it lists the contradictions.
func (said claims) hold(ctx context.Context, t *testing.T, load loader, spec source.Spec, b *artifact.Bundle, opts Options, everyLine bool, runs int, bound time.Duration, sum *tally) (out []string, err error) {
	opts.Budget = 0
	if opts, err = opts.inherit(b); err != nil {
		return nil, err
	}
	if opts.Model.Flags == nil && opts.Model.Deps == nil {
		opts.Model.Flags, opts.Model.Deps = spec.Flags, spec.Deps
	}
	p, err := load(ctx, spec)
	if err != nil {
		return nil, err
	}
	side := p.sidecar()
	how := parse.Options{Accesses: b.Sidecar().Accesses, EveryLine: everyLine, Races: opts.Model.Races}
	binary, _, err := p.instrument(ctx, opts, side, how, nil, reporter{})
	if err != nil {
		return nil, err
	}
	defer func() { require.NoError(t, binary.Close()) }()
	limits := orchestrate.RunOptions{Timeout: opts.Watchdog, MaxSteps: runSteps}
	for i, s := range strategies {
		if s.everyLine != everyLine {
			continue
		}
		part, cancel := context.WithTimeout(ctx, bound)
		x, err := binary.Explore(part, orchestrate.ExploreOptions{
			Runs: runs, Seed: uint64(i+1) << 20, Patient: s.patient, NoReplay: true, RunOptions: limits,
		})
		cancel()
		if x == nil || err != nil && part.Err() == nil {
			return out, fmt.Errorf("%s: %w", s.name, err)
		}
		if sum.runs += x.Runs; x.Runs < runs {
			t.Logf("%s: %d runs of %d: %d processes, %v", s.name, x.Runs, runs, x.Processes, x.Restarts)
		}
		sometimesWell := slices.ContainsFunc(x.Ends, endsWell)
		for _, e := range x.Ends {
			if e.Status != orchestrate.Completed || e.Kind == "" || e.Kind == artifact.KindExit && !sometimesWell {
				continue // what the program does in every run is no error
			}
			sum.errors++
			v, err := orchestrate.Replay(ctx, binary, e.Plan, limits)
			if err != nil {
				return out, err
			}
			if v.Status != orchestrate.Reproduced {
				t.Logf("%s: run %d, %s, does not come again: %s", s.name, e.Seed, e.Kind, v.Reason)
				continue
			}
			sum.again++
			for _, what := range said.against(side, spec, e, v) {
				out = append(out, fmt.Sprintf("%s: run %d and %d others show %s at %s (%s), but %s", s.name, e.Seed, e.Count-1, e.Kind, placesOf(side, e), e.Message, what))
			}
		}
	}
	return out, nil
}

// against is what was said that the end of a run contradicts.
func (said claims) against(side *artifact.Sidecar, spec source.Spec, e orchestrate.End, v *orchestrate.Verdict) (out []string) {
	if len(v.Stalls) > 0 && (e.Kind == artifact.KindTestFailure || e.Kind == artifact.KindExit || v.Failed) {
		return nil // a test of time, which is no error of the program
	}
	if e.Kind == artifact.KindLeak && (spec.Entry == "main" || v.Restless) {
		return nil // those left end with the program, or may go on
	}
	if said.none {
		out = append(out, "there is no error")
	}
	for _, s := range sitesOf(side, e) {
		if what := said.of[errorAt(e.Kind, s)]; what != "" {
			out = append(out, fmt.Sprintf("at %s:%d that is %s", s.File, s.Line, what))
		}
	}
	return out
}

// sitesOf are the sites of an error.
func sitesOf(side *artifact.Sidecar, e orchestrate.End) []artifact.Site {
	keys := []string{e.Site}
	switch {
	case explain.Stuck(e.Kind):
		keys = nil
		for _, g := range e.Plan.Expect.Goroutines {
			if e.Kind == artifact.KindLeak || g.G == entryGoroutine {
				keys = append(keys, g.Site)
			}
		}
	case crash(e.Kind):
		d := &deep{side: side}
		last, _ := d.siteOf(e.Site)
		if at := d.endPlace(e.Kind, last, e.Stack); at.Line > 0 {
			return []artifact.Site{at}
		}
	}
	var out []artifact.Site
	for _, s := range side.Sites {
		if s.Key != "" && slices.Contains(keys, s.Key) {
			out = append(out, s)
		}
	}
	return out
}

// placesOf are the sites of an error for a reader.
func placesOf(side *artifact.Sidecar, e orchestrate.End) string {
	var out []string
	for _, s := range sitesOf(side, e) {
		out = append(out, fmt.Sprintf("%s:%d", filepath.Base(s.File), s.Line))
	}
	return strings.Join(out, ", ")
}
