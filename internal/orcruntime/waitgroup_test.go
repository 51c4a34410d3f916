package orcruntime

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// explored are the kinds and messages of the errors that random runs end in. Every
// one is repeated by the recording.
func explored(t *testing.T, cfg Config, runs int) map[string]string {
	ends := map[string]string{}
	left, tainted := Explore(Exploration{
		Config: cfg, Runs: runs, Ran: func(int, Result) {},
		Found: func(_ int, seed uint64, res Result) {
			again := cfg
			again.Plan = Plan{Steps: res.Trace, Expect: res.Observed(), Seed: res.Seed, Choices: res.Choices, Minor: res.Minor}
			if res.Outcome.Kind == "" {
				return
			}
			replayed := Run(again)
			require.Equal(t, Reproduced, replayed.Verdict, "seed %d\n%s\n%s", seed, res, replayed)
			require.Equal(t, res.Outcome.Message, replayed.Outcome.Message)
			ends[res.Outcome.Message] = res.Outcome.Kind + " " + res.Outcome.Site
		},
	})
	require.Empty(t, left)
	require.False(t, tainted)
	return ends
}

// TestWaitGroupReuse: to reuse a WaitGroup before its waiters have returned, and to
// add while Done is at work on zero, panics under some schedule.
func TestWaitGroupReuse(t *testing.T) {
	const reused, during = "panic: " + reusedEarly, "panic: " + addDuringWait
	for name, c := range map[string]struct {
		main func()
		want map[string]string
	}{
		"next round while a waiter returns": {func() {
			var wg sync.WaitGroup
			done := make(chan int)
			Add(1, &wg, 1)
			Go(2, func() { Wait(3, &wg); Close(4, done) })
			Done(5, &wg)
			Add(6, &wg, 1)
			Done(7, &wg)
			Recv(8, done)
		}, map[string]string{reused: KindWaitGroupReuse + " #3"}},
		"the waiter says that it has returned": {func() {
			var wg sync.WaitGroup
			done := make(chan int)
			Add(1, &wg, 1)
			Go(2, func() { Wait(3, &wg); Close(4, done) })
			Done(5, &wg)
			Recv(6, done)
			Add(7, &wg, 1)
			Done(8, &wg)
		}, map[string]string{}},
		"two waiters, one goes on to the next round": {func() {
			var wg sync.WaitGroup
			Add(1, &wg, 1)
			Go(2, func() { Wait(3, &wg); Add(4, &wg, 1); Done(5, &wg) })
			Go(6, func() { Wait(7, &wg) })
			Done(8, &wg)
		}, map[string]string{reused: KindWaitGroupReuse + " #7", during: KindWaitGroupReuse + " #4"}},
		"two waiters": {func() {
			var wg sync.WaitGroup
			Add(1, &wg, 1)
			Go(2, func() { Wait(3, &wg) })
			Go(6, func() { Wait(7, &wg) })
			Done(8, &wg)
		}, map[string]string{}},
		"add within the goroutine": {func() {
			var wg sync.WaitGroup
			for range 2 {
				Go(1, func() { Add(2, &wg, 1); Done(3, &wg) })
			}
			Wait(4, &wg)
		}, map[string]string{reused: KindWaitGroupReuse + " #4", during: KindWaitGroupReuse + " #2"}},
		"add before the goroutine": {func() {
			var wg sync.WaitGroup
			for range 2 {
				Add(2, &wg, 1)
				Go(1, func() { Done(3, &wg) })
			}
			Wait(4, &wg)
		}, map[string]string{}},
		"add above zero": {func() {
			var wg sync.WaitGroup
			Add(1, &wg, 1)
			Go(2, func() {
				Add(3, &wg, 1)
				Go(4, func() { Done(5, &wg) })
				Done(6, &wg)
			})
			Wait(7, &wg)
		}, map[string]string{}},
		"WaitGroup.Go after Wait": {func() {
			var wg sync.WaitGroup
			WGGo(1, &wg, func() {})
			Go(2, func() { WGGo(3, &wg, func() {}) })
			Wait(4, &wg)
		}, map[string]string{reused: KindWaitGroupReuse + " #4"}},
		"rounds of one goroutine": {func() {
			var wg sync.WaitGroup
			for range 3 {
				WGGo(1, &wg, func() {})
				WGGo(2, &wg, func() {})
				Wait(3, &wg)
			}
		}, map[string]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := Config{Bubble: bubble(t), Main: c.main, Entry: EntryMain, EndSite: endSite}
			require.Equal(t, c.want, explored(t, cfg, 400))
		})
	}
}

// TestMinorGuards: a plan that names no minor guard goes by them, and one that does
// stops there.
func TestMinorGuards(t *testing.T) {
	main := func() {
		var wg sync.WaitGroup
		Add(1, &wg, 1)
		Go(2, func() { Wait(3, &wg) })
		Done(5, &wg)
		Add(6, &wg, 1)
		Done(7, &wg)
	}
	for plan, want := range map[string]string{
		"0 #1, 0 #2, 0.1 #3, 0 #5, 0 #6, 0 #7":                                         "",
		"0 #1, 0 #2, 0.1 #3, 0 #5, 0 #5.zero, 0 #6, 0.1 #3.return":                     KindWaitGroupReuse,
		"0 #1, 0 #2, 0.1 #3, 0 #5, 0 #5.zero, 0.1 #3.return, 0 #6, 0 #7":               "",
		"0 #1, 0 #2, 0.1 #3, 0 #5, 0 #6, 0.1 #3.return":                                KindWaitGroupReuse,
		"0 #1, 0 #2, 0.1 #3, 0 #5, 0 #5.zero, 0 #6, 0 #7, 0.1 #3.return":               "",
		"0 #1, 0 #2, 0 #5, 0 #6, 0.1 #2.start, 0.1 #3, 0 #7, 0 #7.zero, 0.1 #3.return": "",
	} {
		res := Run(Config{Bubble: bubble(t), Main: main, EndSite: endSite, Plan: Plan{Steps: steps(plan)}})
		require.Equal(t, Completed, res.Verdict, "%s\n%s", plan, res)
		require.Equal(t, want, res.Outcome.Kind, "%s\n%s", plan, res)
	}
}
