package orcruntime

import (
	"flag"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var manyRuns = flag.Int("orc.runs", 2000, "runs of an exploration")

// TestExplore: every way in which a program can end is found, with a recording
// that repeats it.
func TestExplore(t *testing.T) {
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			kinds, ran := map[string]bool{}, 0
			cfg := p.config(bubble(t))
			left, tainted := Explore(Exploration{
				Config: cfg, Runs: 400,
				Ran: func(end int, res Result) { ran++ },
				Found: func(end int, seed uint64, res Result) {
					kinds[res.Outcome.Kind] = true
					again := p.config(bubble(t))
					again.Plan = Plan{Steps: res.Trace, Expect: res.Observed(), Seed: res.Seed, Choices: res.Choices, Minor: res.Minor}
					replayed := Run(again)
					require.Empty(t, replayed.Found, "seed %d\n%s", seed, replayed)
					require.Equal(t, res.Outcome.Kind, replayed.Outcome.Kind, "seed %d\n%s\n%s", seed, res, replayed)
					if res.Outcome.Kind != "" {
						require.Equal(t, Reproduced, replayed.Verdict, "seed %d\n%s", seed, replayed)
					}
				},
			})
			require.Empty(t, left)
			require.False(t, tainted)
			require.Equal(t, 400, ran)
			require.Len(t, kinds, len(p.outcomes))
			for _, k := range p.outcomes {
				require.True(t, kinds[k], k)
			}
		})
	}
}

// TestExploreMemory: memory and goroutines do not grow with the runs. The long
// form is -orc.runs 100000.
func TestExploreMemory(t *testing.T) {
	inLong(t)
	goroutines := runtime.NumGoroutine()
	before := heap()
	for _, p := range programs {
		if p.entry != EntryMain {
			continue
		}
		runs := *manyRuns / 10
		left, _ := Explore(Exploration{
			Config: p.config(bubble(t)), Runs: runs,
			Ran: func(int, Result) {}, Found: func(int, uint64, Result) {},
		})
		require.Empty(t, left)
	}
	after := heap()
	t.Logf("live heap: %d KiB before, %d KiB after", before>>10, after>>10)
	require.Less(t, after, before+4<<20)
	require.LessOrEqual(t, runtime.NumGoroutine(), goroutines+2)
}

// TestExploreTaint: what a run leaves is noticed.
func TestExploreTaint(t *testing.T) {
	explore := func(runs int, main func()) (string, bool, int) {
		n := 0
		left, tainted := Explore(Exploration{
			Config: Config{Bubble: bubble(t), Main: main}, Runs: runs,
			Ran: func(int, Result) { n++ }, Found: func(int, uint64, Result) {},
		})
		return left, tainted, n
	}
	t.Run("state, at once", func(t *testing.T) {
		kept := 0 // no RegisterInit makes it anew
		left, tainted, _ := explore(100, func() {
			for range kept {
				Access(1)
			}
			kept++
		})
		require.Equal(t, "two runs with one seed differ: state outlives runs, or the program chooses by itself", left)
		require.True(t, tainted)
	})
	t.Run("state, late", func(t *testing.T) {
		kept := 0
		left, tainted, n := explore(100, func() {
			if kept++; kept == 60 {
				Access(1)
			} else if kept > 60 {
				Access(2)
			}
		})
		require.Equal(t, "the first run comes out otherwise after others: state outlives runs", left)
		require.True(t, tainted)
		require.Equal(t, 100, n)
	})
	t.Run("goroutine", func(t *testing.T) {
		runs := 0
		left, tainted, n := explore(100, func() {
			if runs++; runs > 50 {
				Go(1, func() { <-make(chan int) }) // without a guard
				Sleep(2, 1)
			}
		})
		require.Contains(t, left, "after the run: deadlock")
		require.False(t, tainted)
		require.Equal(t, 50, n) // one more was recorded
	})
	t.Run("busy", func(t *testing.T) {
		var stop atomic.Bool
		var n atomic.Int32 // the run that is left behind goes on reading it
		left, tainted := Explore(Exploration{
			Config: Config{Bubble: bubble(t), Watchdog: 50 * time.Millisecond, Main: func() {
				Access(1)
				for n.Load() == 5 && !stop.Load() {
				}
			}},
			Runs: 100, Ran: func(int, Result) { n.Add(1) }, Found: func(int, uint64, Result) {},
		})
		stop.Store(true)
		require.Contains(t, left, "goroutine 0 does not come to another guard after #1")
		require.False(t, tainted)
		require.EqualValues(t, 6, n.Load())
	})
}

// TestPanicsApart: panics from behind one guard are different ends if they come from different
// places.
func TestPanicsApart(t *testing.T) {
	at := func(frames ...string) string {
		return Result{Verdict: Completed, Outcome: Outcome{Kind: KindPanic, G: "0", Site: "#1", Stack: frames}}.end()
	}
	require.Equal(t, at("strings.Repeat strings.go:1", "main.main main.go:3"), at("strings.Repeat strings.go:1", "main.main main.go:3"))
	require.NotEqual(t, at("strings.Repeat strings.go:1", "main.main main.go:3"), at("strings.Repeat strings.go:1", "main.main main.go:4"))
}
