package pass

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/explain"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/translate"
)

var oraclePlain = flag.Int("plain", 0, "runs of each program of TestOracleWide as Go does, with the race detector")

// wideSeed is where the programs of the ordinary run begin, and wideRuns how often each is
// followed in its model.
const (
	wideSeed = 10_001
	wideRuns = 60
)

// TestOracleWide compares everything that says how a program can end, over random programs
// with what Go programmers write around goroutines: the model with its replays, all schedules,
// random runs, which also have to be followed in the model, and with -plain the program itself,
// without vtrace.
func TestOracleWide(t *testing.T) {
	n, from := 2, uint64(wideSeed)
	if *oracleSeed != 1 {
		n, from = *oraclePrograms, *oracleSeed
	} else if *oraclePrograms != oracleOrdinary {
		n = *oraclePrograms
	}
	if testing.Short() {
		n = 0
	}
	var (
		mu                        sync.Mutex
		programs, proved, limited int
		failing                   int
	)
	t.Cleanup(func() { // when the parallel tests have ended
		t.Logf("%d programs: %d explored completely, %d with limits of the check, %d with an error", programs, proved, limited, failing)
	})
	for i := range n {
		seed := from + uint64(i)
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			test := seed%3 == 0
			text := authored(seed, test)
			x, said := wide(t, text, test)
			if t.Failed() {
				t.Log("\n" + text)
			}
			if x == nil {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			programs++
			if x.Covered.Proved() {
				proved++
			}
			if len(said.Limits) > 0 {
				limited++
			}
			if said.Real > 0 {
				failing++
			}
		})
	}
}

// endOf is how a program ends, for comparison: which goroutine is stuck where depends on where
// the others are, and runs that fail a test do not say where.
func endOf(kind string, line int) string {
	switch {
	case explain.Stuck(kind):
		return "stuck"
	case kind == artifact.KindTestFailure:
		return kind
	}
	return fmt.Sprintf("%s:%d", kind, line)
}

// wide compares what is said of a program.
func wide(t *testing.T, text string, test bool) (*Exhausted, claims) {
	ctx := context.Background()
	spec := randomSpec(t, text, test)

	search := Search{MaxStates: 200_000}
	said, b, err := claimsOf(ctx, load, spec, Options{Search: search, Budget: 30 * time.Second})
	if err != nil {
		t.Errorf("no answer: %v", err)
		return nil, said
	}
	x, err := Exhaust(ctx, spec, Exhaustion{Stalls: -1, MaxRuns: 20_000, TotalSteps: 1_000_000, Parallel: 1, MaxTime: 25 * time.Second}, Options{})
	if err != nil {
		t.Errorf("no exploration: %v", err)
		return nil, said
	}

	// What the exploration shows the check does not deny.
	shown := map[string]bool{}
	for _, e := range x.Ends {
		switch {
		case e.Kind == "" || e.Status != orchestrate.Completed:
			continue
		case e.Kind == artifact.KindRace:
			shown[artifact.KindRace] = true
			continue
		case e.Replay == nil:
		case e.Replay.Status != orchestrate.Reproduced:
			t.Errorf("the exploration shows %s (%s), which does not come again: %s", e.Kind, e.Message, e.Replay.Reason)
			continue
		default:
			for _, what := range said.against(x.Sidecar, spec, e, e.Replay) {
				t.Errorf("the exploration shows %s at %s (%s), but %s", e.Kind, placesOf(x.Sidecar, e), e.Message, what)
			}
		}
		at := sitesOf(x.Sidecar, e)
		if len(at) == 0 {
			at = []artifact.Site{{}}
		}
		for _, s := range at {
			shown[endOf(e.Kind, s.Line)] = true
		}
	}

	// What the check has reproduced the exploration shows, if it has come to its end.
	raced := false
	for _, f := range b.Findings() {
		raced = raced || f.Kind == artifact.KindRace
		switch {
		case f.Verdict != artifact.Real && f.Verdict != artifact.TimingDependent, f.Kind == artifact.KindRace:
		case explain.Stuck(f.Kind) && f.Kind != artifact.KindDeadlock && !test: // at the end of main it is none
		case f.Kind == artifact.KindMapRace && shown[artifact.KindRace]: // where accesses are recorded
		case x.Covered.Proved() && !shown[endOf(f.Kind, f.Line)]:
			t.Errorf("%s at line %d is %s, but %s: %v", f.Kind, f.Line, f.Verdict, x.Covered.Coverage(), slices.Sorted(maps.Keys(shown)))
		}
	}

	// The model can do what runs do.
	c, err := Complete(ctx, spec, CompleteOptions{Runs: wideRuns, Seed: 1, MaxSteps: 2000}, Options{Search: search})
	var refused *translate.UnsupportedError
	switch {
	case errors.As(err, &refused):
		t.Log(refused)
	case err != nil:
		t.Errorf("no runs: %v", err)
	default:
		for _, d := range c.Departures {
			if d.Status == orchestrate.Rejected {
				t.Errorf("seed %d: %s; stands at %v, instead %v", d.Seed, d.Reason, d.Standing, d.Instead)
			}
		}
	}

	// So does Go. A check that has a real error does not look for data races, see checkRaces.
	words := b.Runs() != nil && len(b.Runs().WordRaces) > 0
	for _, e := range plainRuns(t, text, test, *oraclePlain) {
		if len(e.races) > 0 {
			if !raced && !words && said.Real == 0 && len(said.Limits) == 0 {
				t.Errorf("the race detector of Go reports %v, the check nothing", e.races)
			}
			if x.Covered.Proved() && len(x.Guarded) == 0 && !shown[artifact.KindRace] {
				t.Errorf("the race detector of Go reports %v, the exploration nothing", e.races)
			}
			continue // what comes of it is not compared
		}
		if x.Covered.Proved() && !e.among(shown) {
			t.Errorf("Go ends so: %v; %s: %v\n%s", e, x.Covered.Coverage(), slices.Sorted(maps.Keys(shown)), e.output)
		}
		if said.none && (e.hangs || e.crash || e.failed) {
			t.Errorf("Go ends so: %v, the check says that there is no error\n%s", e, e.output)
		}
	}
	t.Logf("%s; limits %q; ends %v; said %+v", x.Covered.Coverage(), x.Covered.Limits, slices.Sorted(maps.Keys(shown)), said.Conclusion)
	return x, said
}
