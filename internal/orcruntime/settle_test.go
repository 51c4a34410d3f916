package orcruntime

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestSettle: synctest.Wait returns when the others can go no further, at the
// same instant, whatever the schedule.
func TestSettle(t *testing.T) {
	for seed := range uint64(200) {
		var at, later time.Duration
		n := 0
		res := Run(Config{Bubble: bubble(t), Entry: EntryTest, EndSite: endSite, Chooser: Random(seed), Record: true, Main: func() {
			start := time.Now()
			c := make(chan int)
			for range 3 {
				Go(1, func() {
					Access(2)
					n++
					Recv(3, c)
					Access(4)
					n++
				})
			}
			Settle(5, nil)
			if n != 3 {
				panic(n)
			}
			at = time.Since(start)
			Go(6, func() { Sleep(7, time.Second); Close(8, c) })
			Sleep(9, 2*time.Second)
			Settle(5, nil)
			later = time.Since(start)
		}})
		require.Equal(t, Completed, res.Verdict, "%s", res)
		require.Equal(t, 6, n, "%s", res)
		require.Zero(t, at)
		require.Contains(t, []time.Duration{2 * time.Second, 3 * time.Second}, later) // the other may start late
		require.False(t, res.Weak)
		again := Run(Config{Bubble: bubble(t), Entry: EntryTest, EndSite: endSite, Plan: Plan{Steps: res.Trace}, Main: func() {
			Go(1, func() { Access(2) })
		}})
		require.Equal(t, Infeasible, again.Verdict)
	}
	// Free, it is what it was.
	synctest.Test(t, func(*testing.T) {
		done := false
		go func() { done = true }()
		Settle(1, synctest.Wait)
		require.True(t, done)
	})
}

// Time does not pass while others can go on.
func TestSettleBeforeTime(t *testing.T) {
	res := Run(Config{
		Bubble: bubble(t), Entry: EntryTest, EndSite: endSite, Plan: Plan{Steps: steps("0 #1, 0 #5, T")},
		Main: func() {
			Due(1, time.Second)
			Go(1, func() { Access(2) })
			Settle(5, nil)
		},
	})
	require.Equal(t, Infeasible, res.Verdict, "%s", res)
	require.Equal(t, "0 waits for the others to settle, before time passes", res.Found)
}

// TestBubbleRefused: what package testing does not do in a bubble is refused and
// not taken for a panic of the program's.
func TestBubbleRefused(t *testing.T) {
	for name, f := range map[string]func(t *testing.T){
		"Run":      func(t *testing.T) { t.Run("sub", func(*testing.T) {}) },
		"Parallel": func(t *testing.T) { t.Parallel() },
		"Deadline": func(t *testing.T) { t.Deadline() },
	} {
		var inner *testing.T
		in := Bubble{Run: func(f func()) {
			synctest.Test(t, func(t *testing.T) { inner = t; f() })
		}, Wait: synctest.Wait}
		res := Run(Config{Bubble: in, Entry: EntryTest, Main: func() { f(inner) }})
		require.Equal(t, Unsupported, res.Verdict, name)
		require.Equal(t, "code without guards cannot be in a bubble: panic: testing: t."+name+" called inside synctest bubble", res.Message)
		require.Empty(t, res.Left)
	}
}

// TestPassOthers: guards that the plan does not name are passed on request, as
// far as they let one pass.
func TestPassOthers(t *testing.T) {
	run := func(pass bool, lock bool) Result {
		return Run(Config{
			Bubble: bubble(t), EndSite: endSite,
			Plan: Plan{PassOthers: pass, Steps: steps("0 #1, 0.1 #1.start, 0.1 #5, 0 #2"), Expect: Expect{Kind: KindCloseOfClosed}},
			Main: func() {
				var mu sync.Mutex
				c := make(chan int)
				if lock {
					Lock(7, &mu)
				}
				Go(1, func() { Lock(3, &mu); Unlock(4, &mu); Close(5, c) })
				Access(6)
				Close(2, c)
			},
		})
	}
	require.Equal(t, Infeasible, run(false, false).Verdict)
	res := run(true, false)
	require.Equal(t, Reproduced, res.Verdict, "%s", res)
	require.Contains(t, res.Notes, "0 has passed #6 (#6), which the plan does not name")
	res = run(true, true)
	require.Equal(t, Infeasible, res.Verdict, "%s", res)
	require.Contains(t, res.Found, "0.1 is blocked in lock")
}

// What the others have done before synctest.Wait returns happens before what follows.
func TestSettleOrders(t *testing.T) {
	for seed := range uint64(20) {
		x := new(int)
		res := Run(Config{Bubble: bubble(t), Entry: EntryTest, EndSite: endSite, Races: true, Chooser: Random(seed), Main: func() {
			Go(1, func() {
				*Rd(1, x) = 1
				Wr(1, x)
			})
			Settle(2, nil)
			_ = *Rd(2, x)
			Go(3, func() {
				*x = 2
				Wr(3, x)
			})
			if seed%2 == 1 {
				_ = *Rd(4, x)
			}
		}})
		require.Equal(t, Completed, res.Verdict, "%s", res)
		require.Equal(t, seed%2 == 1, len(res.Races) > 0, "%s", res)
	}
}

// What others do after synctest.Wait has returned is not ordered with what follows: the order
// of two sleeps is no order.
func TestSettleOrdersNothingLater(t *testing.T) {
	x := new(int)
	res := Run(Config{Bubble: bubble(t), Entry: EntryTest, EndSite: endSite, Races: true, Chooser: FirstEnabled(), Main: func() {
		Go(1, func() {
			*Rd(1, x) = 1
			Wr(1, x)
			Sleep(2, time.Second)
			*Rd(3, x) = 2
			Wr(3, x)
		})
		Settle(4, nil)
		Sleep(6, 2*time.Second)
		_ = *Rd(7, x)
	}})
	require.Equal(t, Completed, res.Verdict, "%s", res)
	require.Len(t, res.Races, 1, "%s", res)
	require.Equal(t, []string{"#3", "#7"}, []string{res.Races[0].First.Site, res.Races[0].Second.Site})
}
