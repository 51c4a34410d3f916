package orcruntime

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestSpin: one that polls lets the others go on, a run of it repeats, and its
// turns need no steps in a plan.
func TestSpin(t *testing.T) {
	main := func() {
		var turn atomic.Int32
		for i := range int32(3) {
			Go(1, func() {
				for Polled(2, turn.Load()) != i {
				}
				Access(3)
				turn.Add(1)
			})
		}
		for Polled(4, turn.Load()) != 3 {
			Gosched(4)
		}
		Access(5)
	}
	for seed := range uint64(100) {
		cfg := Config{Bubble: bubble(t), Entry: EntryTest, EndSite: endSite, Chooser: Random(seed), Record: true, Main: main}
		res := Run(cfg)
		require.Equal(t, Completed, res.Verdict, "%s", res)
		require.Empty(t, res.Outcome.Kind)
		cfg.Plan.Steps = res.Trace
		again := Run(cfg)
		require.Equal(t, Completed, again.Verdict, "%s", again)
		require.Equal(t, res.Hash, again.Hash)
	}
	res := Run(Config{
		Bubble: bubble(t), Entry: EntryTest, EndSite: endSite, Main: main,
		Plan: Plan{Steps: steps("0 #1, 0 #1, 0 #1, 0.2 #1.start, 0.1 #3, 0.2 #3, 0.3 #3, 0 #5")},
	})
	require.Equal(t, Completed, res.Verdict, "%s", res)
	res = Run(Config{
		Bubble: bubble(t), Entry: EntryTest, EndSite: endSite, Main: main,
		Plan: Plan{Steps: steps("0 #1, 0 #1, 0.2 #3")},
	})
	require.Equal(t, Infeasible, res.Verdict)
	require.Equal(t, "0.2 is at busy loop at #2.spin (#2.spin)", res.Found)
}

// TestBusyLoop: where time may still bring what a loop waits for, it passes;
// where nothing does, the loop is named.
func TestBusyLoop(t *testing.T) {
	run := func(main func()) Result {
		return Run(Config{Bubble: bubble(t), Entry: EntryTest, EndSite: endSite, Main: main})
	}
	res := run(func() {
		c := time.After(Due(1, time.Hour))
		for start := time.Now(); time.Since(start) < time.Hour; Polled(1, 0) {
		}
		<-c
	})
	require.Equal(t, Completed, res.Verdict, "%s", res)
	res = run(func() {
		never := make(chan int)
		Go(1, func() { Recv(2, never) })
		Go(3, func() {
			for range 5000 {
				Sleep(4, time.Second)
			}
		})
		for {
			Polled(5, 0)
		}
	})
	require.Equal(t, Limit, res.Verdict)
	require.Equal(t, "busy loop, and nothing else goes on: 0 at #5.spin (#5.spin)", res.Message)
}

// TestChanging: goroutines that change memory are at work, however long they do
// nothing else.
func TestChanging(t *testing.T) {
	run := func(steps int, main func()) Result {
		return Run(Config{Bubble: bubble(t), Entry: EntryTest, EndSite: endSite, Plan: Plan{MaxSteps: steps}, Main: main})
	}
	var n, m atomic.Int64
	work := func(add func()) func() {
		return func() {
			for range 3 {
				Go(1, func() {
					for range 20_000 {
						add()
					}
				})
			}
		}
	}
	res := run(0, work(func() { Changed(2, n.Add(1)) }))
	require.Equal(t, Completed, res.Verdict, "%s", res)
	require.Equal(t, int64(60_000), n.Load())
	res = run(0, work(func() {
		for old := m.Load(); !Swapped(2, m.CompareAndSwap(old, old+1)); {
		}
	}))
	require.Equal(t, Completed, res.Verdict, "%s", res)
	require.Equal(t, int64(60_000), m.Load())
	// Once in a while will do, and what never ends goes on to the limit.
	res = run(5000, func() {
		for i := 0; ; i++ {
			Polled(3, n.Load())
			if i%1000 == 0 {
				Changed(4, n.Add(1))
			}
		}
	})
	require.Equal(t, Limit, res.Verdict)
	require.Equal(t, "5000 steps were done and the program has not ended", res.Message)
	require.Less(t, res.VirtualTime, time.Hour)
	// One that never succeeds waits in vain.
	res = run(0, func() {
		for !Swapped(5, m.CompareAndSwap(-1, 0)) {
		}
	})
	require.Equal(t, Limit, res.Verdict)
	require.Equal(t, "busy loop, and nothing else goes on: 0 at #5.spin (#5.spin)", res.Message)
	// Time passes meanwhile.
	res = run(0, func() {
		done := false
		Go(6, func() { Sleep(7, time.Second); done = true })
		for !done {
			Changed(8, n.Add(1))
		}
	})
	require.Equal(t, Completed, res.Verdict, "%s", res)
}

// TestCalm: goroutines that go on for ever after the end of a test are a leak,
// with whoever waits besides; those that end after a time are not.
func TestCalm(t *testing.T) {
	ticks := func(n int, d time.Duration) {
		Go(1, func() {
			for range n {
				Sleep(2, d)
			}
		})
	}
	for _, tt := range []struct {
		name, kind string
		main       func()
		stuck      []At
	}{
		{"for ever", KindLeak, func() { ticks(1_000_000, time.Second) }, stuck("0.1 #2")},
		{"for long", "", func() { ticks(900, time.Second) }, nil},
		{"with another", KindLeak, func() {
			c := make(chan int)
			ticks(1_000_000, time.Second)
			Go(3, func() { Recv(4, c) })
		}, stuck("0.1 #2", "0.2 #4")},
		{"beyond a time limit", "", func() {
			stop := time.After(Due(1, 5000*time.Second))
			Go(1, func() {
				for {
					select {
					case <-stop:
						return
					default:
						Sleep(2, time.Second)
					}
				}
			})
		}, nil},
		{"in time for another", KindLeak, func() {
			stop := make(chan int)
			ticks(1_000_000, time.Second)
			Go(3, func() { Sleep(4, 3000*time.Second); Close(5, stop) })
			Go(6, func() { Recv(7, stop) })
		}, stuck("0.1 #2")},
	} {
		for _, chooser := range []Chooser{nil, Random(1)} {
			res := Run(Config{Bubble: bubble(t), Entry: EntryTest, EndSite: endSite, Chooser: chooser, Main: tt.main})
			require.Equal(t, Completed, res.Verdict, "%s: %s", tt.name, res)
			require.Equal(t, tt.kind, res.Outcome.Kind, "%s: %s", tt.name, res)
			require.Equal(t, tt.stuck, res.Observed().Goroutines, tt.name)
			require.Less(t, res.Steps, 20_000, tt.name)
			if tt.kind == KindLeak {
				again := Run(Config{Bubble: bubble(t), Entry: EntryTest, EndSite: endSite, Main: tt.main, Plan: Plan{Expect: res.Observed()}})
				require.Equal(t, Reproduced, again.Verdict, "%s: %s", tt.name, again)
			}
		}
	}
}
