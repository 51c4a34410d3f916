package orcruntime

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

// TestReach: a goroutine is to have done what has no guard, and stops in front of the next one, or has ended. It passes
// guards that the plan does not name on the way.
func TestReach(t *testing.T) {
	seen := func(before, after string) func() {
		return func() {
			done := ""
			Go(1, func() {
				Sleep(2, time.Second)
				done = before
				Access(3)
				done = after
			})
			Access(4)
			panic(Panic(5, done))
		}
	}
	for _, c := range []struct {
		name, want string
		reach      Step
		verdict    string
	}{
		{"in front of a guard", "panic: before", Step{G: "0.1", Site: "#3", Case: Reach}, Reproduced},
		{"at the end", "panic: after", Step{G: "0.1", Case: Reach}, Reproduced},
		{"at a guard that it does not come to", "", Step{G: "0.1", Site: "#4", Case: Reach}, Infeasible},
		{"at the end of who waits for others", "", Step{G: "0", Case: Reach}, Infeasible},
	} {
		t.Run(c.name, func(t *testing.T) {
			plan := Plan{
				Steps:   []Step{{G: "0", Site: "#1"}, c.reach, {G: "0", Site: "#4"}},
				Expect:  Expect{Kind: KindPanic, Goroutines: []At{{G: "0"}}},
				Elastic: true, PassOthers: true,
			}
			res := Run(Config{Bubble: bubble(t), Main: seen("before", "after"), Record: true, Plan: plan})
			require.Equal(t, c.verdict, res.Verdict, "%s", res)
			require.Equal(t, c.want, res.Outcome.Message)
			if c.verdict == Infeasible {
				require.Equal(t, 2, res.Step)
				return
			}
			// What was done is a plan without it.
			again := Plan{Steps: res.Trace, Expect: plan.Expect}
			require.Equal(t, Reproduced, Run(Config{Bubble: bubble(t), Main: seen("before", "after"), Plan: again}).Verdict)
		})
	}
}
