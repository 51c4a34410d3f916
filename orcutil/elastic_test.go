package orcutil

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestElastic follows plans that have time pass where a run does not.
func TestElastic(t *testing.T) {
	// Two goroutines sleep and tell it, in any order; a third may be told by a
	// timer and a ticker.
	sleepers := func(first, second time.Duration) func() {
		return func() {
			c := make(chan int, 2)
			Go(1, func() { Sleep(2, first); To(c).Send(3, 1) })
			Go(4, func() { Sleep(5, second); To(c).Send(6, 2) })
			if Recv(7, c) == 2 {
				panic(Panic(8, "the second is first"))
			}
		}
	}
	poll := func() {
		after := time.After(Due(1, 2*time.Second))
		ticker := NewTicker(1, time.Second)
		defer ticker.Stop()
		for range 2 {
			switch c := R(ticker.C); Select(1, true, R(after), c) {
			case 0:
				panic(Panic(2, "after"))
			case noCase:
				Access(3)
			}
		}
	}
	second := "0 #1, 0 #4, 0.1 #2, 0.2 #5, "
	expect := Expect{Kind: KindPanic, Goroutines: []At{{G: "0"}}}
	for _, c := range []struct {
		name, plan       string
		main             func()
		strict, elastic  string
		strictAt, elasAt int
	}{
		{"one event after the other", second + "T, T, 0.2 #6, 0 #7, 0 #8", sleepers(1, 2), Reproduced, Reproduced, 0, 0},
		{"two events at one instant", second + "T, T, 0.2 #6, 0 #7, 0 #8", sleepers(1, 1), Infeasible, Reproduced, 6, 0},
		{"the later event alone", second + "T, 0.2 #6, 0 #7, 0 #8", sleepers(1, 2), Infeasible, Reproduced, 6, 0},
		{"no event", second + "0.2 #6, 0 #7, 0 #8", sleepers(1, 2), Infeasible, Reproduced, 5, 0},
		{"not what it does", second + "T, T, T, T, 0.1 #6", sleepers(1, 2), Infeasible, Infeasible, 7, 9},
		{"the case of a later event", "0 #1/0, 0 #2", poll, Infeasible, Reproduced, 1, 0},
		{"the case of a later event, after others", "0 #1/-, 0 #3, 0 #1/0, 0 #2", poll, Infeasible, Reproduced, 3, 0},
		{"a case that time brings later", "0 #1/0, T, 0 #2", poll, Infeasible, Infeasible, 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := Config{Bubble: bubble(t), Main: c.main, Record: true, Plan: Plan{Steps: steps(c.plan), Expect: expect}}
			res := Run(cfg)
			require.Equal(t, c.strict, res.Verdict, "%s", res)
			require.Equal(t, c.strictAt, res.Step, "%s", res)
			cfg.Plan.Elastic = true
			res = Run(cfg)
			require.Equal(t, c.elastic, res.Verdict, "%s", res)
			require.Equal(t, c.elasAt, res.Step, "%s", res)
			if c.elastic != Reproduced {
				return
			}
			cfg.Plan.Elastic, cfg.Plan.Steps = false, res.Trace
			again := Run(cfg)
			require.Equal(t, Reproduced, again.Verdict, "%s", again)
			require.Equal(t, res.Trace, again.Trace)
		})
	}
}
