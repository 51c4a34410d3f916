package orchestrate

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
)

var exploreRuns = flag.Int("explore.runs", 0, "runs of TestExploreThroughput")

// Programs that leave something behind, or take their process with them.
const roughTest = `package rough

import (
	"flag"
	"sync"
	"syscall"
	"testing"
)

var (
	_    = flag.Bool("rough", false, "")
	runs int
	mu   sync.Mutex
)

func init() { flag.Bool("rougher", false, "") } // so that runs is not made anew

func TestState(t *testing.T) {
	runs++
	for range runs {
		mu.Lock()
		mu.Unlock()
	}
}

` + raceFunc + `
func TestExits(t *testing.T) {
	exit := syscall.Exit
	race(func() { exit(7) }) // no guard
}

func TestSpins(t *testing.T) {
	race(func() {
		for {
		}
	})
}
`

const raceFunc = `
// race calls f if the second goroutine is faster.
func race(f func()) {
	c := make(chan int, 2)
	go func() { c <- 1 }()
	go func() { c <- 2 }()
	if <-c == 2 {
		f()
	}
}
`

// Programs that leave something to the next run, if the second goroutine is
// faster.
const leftTest = `package left

import (
	"sync"
	"testing"

	"example.com/lib"
)

` + raceFunc + `
func TestOutside(t *testing.T) {
	race(func() { go lib.Forever() })
}

func TestDeferBlocks(t *testing.T) {
	race(func() {
		go func() {
			defer lib.Forever()
			var mu sync.Mutex
			mu.Lock()
			mu.Lock()
		}()
	})
}

// A function that recovers and goes on is ended at each of its guards.
func TestDeferGoesOn(t *testing.T) {
	race(func() {
		c := make(chan int)
		go func() {
			defer func() {
				for range 3 {
					func() {
						defer func() { recover() }()
						<-c
					}()
				}
			}()
			<-c
		}()
	})
}

func TestDeferSpins(t *testing.T) {
	race(func() {
		go func() {
			defer func() {
				for {
				}
			}()
			<-make(chan int)
		}()
	})
}

func TestOsExit(t *testing.T) { race(lib.Exit) }

func TestCrashes(t *testing.T) { race(lib.Crash) }

func TestFatal(t *testing.T) { race(lib.Fatal) }

func TestAdds(t *testing.T) { race(func() { lib.Add("race") }) }
`

const initTest = `package again

import (
	"testing"

	"example.com/lib"
)

func init() { lib.Add("again") }

func TestAgain(t *testing.T) {
	c := make(chan int, 2)
	go func() { c <- 1 }()
	go func() { c <- 2 }()
	<-c
}
`

// A library, which has no guards.
const roughLib = `package lib

import (
	"os"
	"sync"
)

var names = map[string]bool{}

func Forever() { <-make(chan int) }

func Exit() { os.Exit(9) }

// Crash ends the process, not by a panic of the caller.
func Crash() {
	done := make(chan int)
	go func() { panic("crash") }()
	<-done
}

// Fatal is an error of the Go runtime's.
func Fatal() { new(sync.Mutex).Unlock() }

func Add(name string) {
	if names[name] {
		panic(name + " is registered already")
	}
	names[name] = true
}
`

func roughModule(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":   "module example.com/rough\n\ngo 1.22\n\nrequire example.com/lib v0.0.0\n\nreplace example.com/lib => ./lib\n",
		"rough.go": "package rough\n", "rough_test.go": roughTest,
		"left/left_test.go": leftTest, "again/again_test.go": initTest,
		"lib/go.mod": "module example.com/lib\n\ngo 1.22\n", "lib/lib.go": roughLib,
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

// Exploring real programs finds how they can end, and every error found is
// reproduced in another process.
func TestExploreReal(t *testing.T) {
	ctx := t.Context()
	dir := realModule(t)
	for _, tc := range []struct {
		pattern, entry string
		kinds          []string
	}{
		{".", "main", []string{"", artifact.KindCloseOfClosed, artifact.KindCloseOfClosed}},
		{"./p", "TestLeak", []string{"", artifact.KindLeak}},
		{"./p", "TestFails", []string{"", artifact.KindTestFailure}},
		{"./p", "TestOrder", []string{"", artifact.KindDeadlock}},
	} {
		t.Run(tc.entry, func(t *testing.T) {
			r := loadReal(ctx, t, dir, tc.pattern, tc.entry, false)
			x, err := r.binary.Explore(ctx, ExploreOptions{Runs: 1000, Seed: 1})
			require.NoError(t, err)
			require.Equal(t, 1, x.Processes)
			require.Empty(t, x.Restarts)
			require.Equal(t, 1000, x.Runs)
			require.Greater(t, x.Schedules, 3)
			var kinds []string
			n := 0
			for _, e := range x.Ends {
				kinds = append(kinds, e.Kind)
				n += e.Count
				require.Equal(t, Completed, e.Status)
				if e.Kind != "" {
					require.Equal(t, Reproduced, e.Replay.Status, e.Replay.Reason)
					require.Equal(t, e.Kind, e.Replay.Kind)
					require.Equal(t, e.Plan.Steps, slices.DeleteFunc(slices.Clone(e.Replay.Trace), func(s artifact.PlanStep) bool {
						return !slices.Contains(e.Plan.Steps, s) // Start guards, and what follows the error
					}))
					require.NotNil(t, e.Minimised)
					require.LessOrEqual(t, e.Minimised.After.Compare(e.Minimised.Before), 0)
				}
			}
			require.Equal(t, 1000, n)
			require.ElementsMatch(t, tc.kinds, kinds)
			again, err := r.binary.Explore(ctx, ExploreOptions{Runs: 1000, Seed: 1})
			require.NoError(t, err)
			require.Equal(t, x, again)
			for _, e := range x.Ends {
				testExpected(ctx, t, r.binary, e)
			}
			testRecord(ctx, t, r.binary)
		})
	}
}

// Strategies find what there is to find, again and again, and a run is repeated by its strategy and seed.
func TestExploreStrategies(t *testing.T) {
	ctx := t.Context()
	r := loadReal(ctx, t, realModule(t), ".", "main", false)
	for _, s := range []Strategy{StrategyPOS, StrategySURW, StrategyPortfolio} { // orcruntime has a test of all
		opts := ExploreOptions{Runs: 200, Seed: 1, Strategy: s, NoReplay: true}
		x, err := r.binary.Explore(ctx, opts)
		require.NoError(t, err)
		require.Equal(t, 1, x.Processes)
		require.Equal(t, s, x.Strategy)
		require.Len(t, x.Ends, 3, s)
		again, err := r.binary.Explore(ctx, opts)
		require.NoError(t, err)
		require.Equal(t, x, again)
		for _, e := range x.Ends {
			require.Equal(t, s != StrategyPortfolio, e.Strategy == s)
			one, err := r.binary.Explore(ctx, ExploreOptions{Runs: 1, Seed: e.Seed, Strategy: e.Strategy, NoReplay: true})
			require.NoError(t, err)
			require.Equal(t, e.Plan, one.Ends[0].Plan)
		}
	}
	_, err := r.binary.Explore(ctx, ExploreOptions{Runs: 1, Strategy: "luck"})
	require.ErrorContains(t, err, `no strategy "luck"`)
}

// testExpected looks for an end that is known: by chance, and by its own steps.
func testExpected(ctx context.Context, t *testing.T, b *Binary, e End) {
	if e.Kind == "" {
		return
	}
	expect := e.Plan.Expect
	for i := range expect.Goroutines {
		expect.Goroutines[i].G = ""
	}
	x, err := b.Explore(ctx, ExploreOptions{Runs: 1000, Seed: 1, Expect: expect, NoReplay: true})
	require.NoError(t, err)
	require.NotNil(t, x.Shown)
	require.Equal(t, e.Kind, x.Shown.Verdict.Kind)
	require.Equal(t, uint64(x.Runs), x.Shown.Seed)
	v, err := Replay(ctx, b, x.Shown.Plan, RunOptions{})
	require.NoError(t, err)
	require.Equal(t, Reproduced, v.Status, v.Reason)

	x, err = b.Explore(ctx, ExploreOptions{Runs: 10, Expect: expect, Guides: [][]artifact.PlanStep{e.Plan.Steps}, NoReplay: true})
	require.NoError(t, err)
	require.NotNil(t, x.Shown)
	require.Equal(t, 1, x.Runs)
	for _, s := range e.Plan.Steps {
		require.Contains(t, x.Shown.Plan.Steps, s)
	}
	if len(expect.Goroutines) == 0 {
		return
	}

	expect.Goroutines = []artifact.At{{Site: "elsewhere"}}
	x, err = b.Explore(ctx, ExploreOptions{Runs: 50, Expect: expect, NoReplay: true})
	require.NoError(t, err)
	require.Nil(t, x.Shown)
	require.Equal(t, 50, x.Runs)
}

// What cannot be cleaned gets a process of its own, and the rest goes on.
func TestExploreRough(t *testing.T) {
	t.Parallel() // much of it is to wait
	ctx := t.Context()
	dir := roughModule(t)
	explore := func(pattern, entry string, opts ExploreOptions) *Exploration {
		r := loadReal(ctx, t, dir, pattern, entry, false)
		x, err := r.binary.Explore(ctx, opts)
		require.NoError(t, err)
		require.Equal(t, opts.Runs, x.Runs)
		return x
	}
	t.Run("state", func(t *testing.T) {
		x := explore(".", "TestState", ExploreOptions{Runs: 5})
		require.Equal(t, 6, x.Processes)
		require.Len(t, x.Restarts, 1)
		require.Contains(t, x.Restarts[0].Reason, "state outlives runs")
		require.Equal(t, 1, x.Schedules)
		require.Len(t, x.Ends, 1)
		require.Equal(t, 5, x.Ends[0].Count)
		require.Equal(t, Completed, x.Ends[0].Status)
	})
	t.Run("exit", func(t *testing.T) {
		x := explore(".", "TestExits", ExploreOptions{Runs: 6})
		require.Greater(t, x.Processes, 1)
		require.NotEmpty(t, x.Restarts)
		require.Contains(t, x.Restarts[0].Reason, "the process exited with code 7 outside vtrace's control")
		require.Greater(t, len(x.Ends), 1)
	})
	t.Run("busy", func(t *testing.T) {
		x := explore(".", "TestSpins", ExploreOptions{Runs: 4, RunOptions: RunOptions{Timeout: time.Second}})
		require.NotEmpty(t, x.Restarts)
		require.Contains(t, x.Restarts[0].Reason, "goroutine 0 does not come to another guard after ")
		require.Len(t, x.Ends, 2)
	})
	if testing.Short() {
		return // the processes of the others are started and watched in the same way
	}
	const repeated = "run 4 does not come out like this in a process of its own (panic: race is registered already): state outlives runs, or the program chooses by itself"
	// The second goroutine is faster in runs 2, 4 and 5.
	after := []uint64{3, 5}
	for _, tc := range []struct {
		entry        string
		processes    int
		seeds        []uint64 // of the restarts
		reason       string
		status, kind string // of run 2
		replay       string
	}{
		{"TestOutside", 3, after, "blocked goroutines remain", Completed, artifact.KindLeak, Reproduced},
		{"TestDeferBlocks", 3, after, "blocked goroutines remain", Completed, artifact.KindLeak, Reproduced},
		{"TestDeferGoesOn", 1, nil, "", Completed, artifact.KindLeak, Reproduced},
		{"TestDeferSpins", 3, after, "goroutine 0.3 does not come to another guard after ", Unsupported, "", ""},
		{"TestOsExit", 3, after, "the process exited with code 9 outside vtrace's control in step 7", Unsupported, "", ""},
		{"TestCrashes", 3, after, "the process died outside vtrace's control in step 7", Unsupported, "", ""},
		{"TestFatal", 3, after, "fatal error: sync: unlock of unlocked mutex", Unsupported, "", ""},
		{"TestAdds", 7, []uint64{0}, repeated, "", "", ""},
	} {
		t.Run(tc.entry, func(t *testing.T) {
			opts := ExploreOptions{Runs: 6}
			if tc.entry == "TestDeferSpins" {
				opts.Timeout = time.Second
			}
			x := explore("./left", tc.entry, opts)
			require.Equal(t, tc.processes, x.Processes)
			var seeds []uint64
			for _, r := range x.Restarts {
				seeds = append(seeds, r.Seed)
				require.Contains(t, r.Reason, tc.reason)
			}
			require.Equal(t, tc.seeds, seeds)
			require.Equal(t, "", x.Ends[0].Kind)
			n := 0
			for _, e := range x.Ends {
				n += e.Count
				if e.Seed == 0 {
					continue
				}
				require.Equal(t, tc.status, e.Status)
				require.Equal(t, tc.kind, e.Kind)
				if tc.replay != "" {
					require.Equal(t, tc.replay, e.Replay.Status, e.Replay.Reason)
				}
			}
			require.Equal(t, 6, n, "no run is lost")
			require.Equal(t, tc.status == "", len(x.Ends) == 1)
		})
	}
	t.Run("init", func(t *testing.T) {
		x := explore("./again", "TestAgain", ExploreOptions{Runs: 3})
		require.Len(t, x.Ends, 1)
		require.Equal(t, Unsupported, x.Ends[0].Status)
		require.Equal(t, "the initialisation of packages cannot be repeated: panic: again is registered already", x.Ends[0].Message)
	})
	// Neither what the run for the profile leaves, nor how it ends, keeps others from being done.
	for _, entry := range []string{"TestOsExit", "TestDeferSpins"} {
		t.Run("strategies of "+entry, func(t *testing.T) {
			for _, s := range []Strategy{StrategyDelay, StrategyPortfolio} {
				x := explore("./left", entry, ExploreOptions{Runs: 6, Strategy: s, RunOptions: RunOptions{Timeout: 500 * time.Millisecond}})
				n := 0
				for _, e := range x.Ends {
					n += e.Count
				}
				require.Equal(t, 6, n, "no run is lost")
			}
		})
	}
	t.Run("cancel", func(t *testing.T) {
		r := loadReal(ctx, t, dir, ".", "TestState", false)
		ctx, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
		defer cancel()
		_, err := r.binary.Explore(ctx, ExploreOptions{Runs: 1000})
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

// A recorded run is a plan: following it does the same in all that is observed.
func testRecord(ctx context.Context, t *testing.T, b *Binary) {
	seeds := []*uint64{nil}
	for s := range uint64(3) {
		seeds = append(seeds, &s)
	}
	for _, seed := range seeds {
		r, err := b.Record(ctx, seed, RunOptions{})
		require.NoError(t, err)
		require.Equal(t, Completed, r.Verdict.Status, r.Verdict.Reason)
		require.NotEmpty(t, r.Plan.Steps)
		v, err := Replay(ctx, b, r.Plan, RunOptions{})
		require.NoError(t, err)
		if r.Plan.Expect.Kind != "" {
			require.Equal(t, Reproduced, v.Status, v.Reason)
		} else {
			require.Equal(t, NotReproduced, v.Status, v.Reason)
		}
		require.Equal(t, r.Plan.Steps, v.Trace)
		require.Equal(t, r.Verdict.Log, v.Log)
		require.Equal(t, r.Verdict.Kind, v.Kind)
		require.Equal(t, r.Verdict.Message, v.Message)
		require.Equal(t, r.Verdict.Goroutines, v.Goroutines)
		require.Equal(t, r.Verdict.Stdout, v.Stdout)
	}
}

// TestExploreThroughput is -explore.runs N random runs of a real test.
func TestExploreThroughput(t *testing.T) {
	if *exploreRuns == 0 {
		t.Skip("needs -explore.runs=N")
	}
	ctx := context.Background()
	dir := realModule(t)
	for _, entry := range []string{"TestLeak", "TestFails", "TestOrder"} {
		r := loadReal(ctx, t, dir, "./p", entry, false)
		start := time.Now()
		x, err := r.binary.Explore(ctx, ExploreOptions{Runs: *exploreRuns, NoReplay: true})
		require.NoError(t, err)
		steps := 0
		for _, e := range x.Ends {
			steps = max(steps, len(e.Plan.Steps))
		}
		t.Logf("%s: %.0f runs/s of up to %d steps, %d schedules, %d processes %v", entry,
			float64(x.Runs)/time.Since(start).Seconds(), steps, x.Schedules, x.Processes, x.Restarts)
	}
}

// A program that starts its own binary starts the program, not another driver,
// which would write over what the first has recorded.
func TestExploreStartsItself(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/self\n\ngo 1.26\n", "self_test.go": `package self

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestSelf(t *testing.T) {
	if os.Getenv("CHILD") != "" {
		t.Fatal("the child")
	}
	out := make(chan string)
	go func() {
		cmd := exec.Command(os.Args[0], "-test.run=TestVtraceDriver")
		cmd.Env = append(os.Environ(), "CHILD=1")
		b, _ := cmd.CombinedOutput()
		out <- string(b)
	}()
	if s := <-out; strings.Contains(s, "FAIL") {
		t.Error(s)
	}
}
`} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	r := loadReal(t.Context(), t, dir, ".", "TestSelf", false)
	x, err := r.binary.Explore(t.Context(), ExploreOptions{Runs: 3, Seed: 1, NoReplay: true})
	require.NoError(t, err)
	require.Equal(t, 3, x.Runs)
	require.Len(t, x.Ends, 1)
	require.Equal(t, Completed, x.Ends[0].Status, x.Ends[0].Message)
	require.Empty(t, x.Ends[0].Kind, x.Ends[0].Message)
}
