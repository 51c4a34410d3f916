package orcruntime

import (
	"bytes"
	"context"
	"errors"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func init() {
	RegisterSites("example.com/p", []SiteInfo{
		{ID: 1001, Kind: "go", Key: "p.main#1", Func: "p.main", File: "p/main.go", Line: 5, Text: "go func() {"},
		{ID: 1002, Kind: "send", Key: "p.main$1#1", Func: "p.main$1", File: "p/main.go", Line: 6, Text: "c <- 1"},
		{ID: 1003, Kind: "receive", Key: "p.main#2", Func: "p.main", File: "p/main.go", Line: 8, Text: "<-c"},
		{ID: 1004, Kind: "line", Key: "p.main@3", Func: "p.main", File: "p/main.go", Line: 9, Text: "x++"},
		{ID: 1005, Kind: "end", Key: "p.main.end", Func: "p.main", File: "p/main.go", Line: 10, Text: "}"},
	})
}

// parse reads steps like "0 #3, 0.1 #4/1, T": goroutine, site and case.
func steps(text string) []Step {
	var list []Step
	for _, f := range strings.Split(text, ",") {
		f = strings.TrimSpace(f)
		g, site, _ := strings.Cut(f, " ")
		st := Step{G: g, Site: site}
		if site, c, ok := strings.Cut(site, "/"); ok {
			st.Site, st.Case = site, map[string]int{"-": -1, "0": 0, "1": 1, "2": 2}[c]
		}
		list = append(list, st)
	}
	return list
}

func stuck(gs ...string) []At {
	var list []At
	for _, s := range gs {
		g, site, _ := strings.Cut(s, " ")
		list = append(list, At{g, site})
	}
	return list
}

func mainOf(name string) testProgram {
	i := slices.IndexFunc(programs, func(p testProgram) bool { return p.name == name })
	return programs[i]
}

// TestOccurrence: a step that means another pass of its guard is not done.
func TestOccurrence(t *testing.T) {
	for occ, found := range map[int]string{0: "", 1: "", 2: "0 is there for the 1st time", 3: "0 is there for the 1st time"} {
		res := Run(Config{Bubble: bubble(t), Plan: Plan{Steps: []Step{{G: "0", Site: "#3", Occ: occ}}}, Main: func() {
			for range 3 {
				Access(3)
			}
		}})
		require.Equal(t, found, res.Found)
		require.Equal(t, found != "", res.Verdict == Infeasible, "%s", res)
	}
	second := Plan{Steps: []Step{{G: "0", Site: "#3", Occ: 1}, {G: "0", Site: "#3", Occ: 3}}}
	res := Run(Config{Bubble: bubble(t), Plan: second, Main: func() {
		for range 3 {
			Access(3)
		}
	}})
	require.Equal(t, Infeasible, res.Verdict, "%s", res)
	require.Equal(t, "0 is there for the 2nd time", res.Found)
}

// TestVerdicts follows plans for the programs and judges.
func TestVerdicts(t *testing.T) {
	tests := []struct {
		program, plan string
		expect        Expect
		verdict       string
		step          int
		message       string // part of it
	}{
		{"unbuffered send and polling select", "0 #1, 0 #4, 0.1 #2, 0.1 #3/-, 0 #5",
			Expect{KindDeadlock, stuck("0 #5")}, Reproduced, 0, "0 blocked in send on chan#2 at #5"},
		{"unbuffered send and polling select", "0 #1, 0 #4, 0.1 #2, 0 #5, 0.1 #3",
			Expect{KindDeadlock, stuck("0 #5")}, NotReproduced, 0, "observed the entry function returned"},
		{"unbuffered send and polling select", "0 #1, 0 #4, 0.1 #2, 0 #5, 0.1 #3/-",
			Expect{KindDeadlock, stuck("0 #5")}, Infeasible, 5, "step 5 of 5 could not be done: expected 0.1 at #3, case default; found that 0.1 was there, but case 0 was ready, default was not"},
		{"unbuffered send and polling select", "0 #1, 0 #4, 0.1 #2, 0.1 #3",
			Expect{KindDeadlock, stuck("0 #5")}, Infeasible, 4, "no case was ready, so it took the default"},
		{"two locks in opposite order", "0 #1, 0 #2, 0 #3, 0.1 #10, 0.2 #20",
			Expect{KindDeadlock, stuck("0 #4", "0.1 #12", "0.2 #22")}, Reproduced, 0, "0.1 blocked in lock on mutex#2 at #12"},
		{"two locks in opposite order", "0 #1, 0 #2, 0 #3, 0.1 #10, 0.2 #20",
			Expect{KindPartialDeadlock, stuck("0.1 #12")}, Reproduced, 0, ""},
		{"two locks in opposite order", "0 #1, 0 #2, 0 #3, 0.1 #10, 0.2 #20",
			Expect{KindLeak, stuck("0.1 #12")}, NotReproduced, 0, ""},
		{"two locks in opposite order", "0 #1, 0 #2, 0 #3, 0.1 #10, 0.1 #12, 0.2 #20, 0.2 #22",
			Expect{KindDeadlock, nil}, Infeasible, 7, "found that 0.2 is blocked in lock on mutex#2 at #20"},
		{"recursive read lock and a writer", "0 #1, 0 #5, 0.1 #2, 0 #6",
			Expect{KindDeadlock, stuck("0 #6", "0.1 #2")}, Reproduced, 0, ""},
		{"recursive read lock and a writer", "0 #1, 0 #5, 0.1 #2, 0 #6, 0 #7",
			Expect{KindDeadlock, nil}, Infeasible, 5, "found that 0 is blocked in read lock on rwmutex#1 at #6"},
		// The writer queues, the last RUnlock completes it without a step.
		{"recursive read lock and a writer", "0 #1, 0 #5, 0 #6, 0.1 #2, 0 #7, 0 #8, 0.1 #3",
			Expect{KindReachable, stuck("0.1 #3")}, Reproduced, 0, ""},
		// A step for what was completed so is accepted.
		{"recursive read lock and a writer", "0 #1, 0 #5, 0 #6, 0.1 #2, 0 #7, 0 #8, 0.1 #2, 0.1 #3",
			Expect{KindReachable, stuck("0.1 #3")}, Reproduced, 0, ""},
		// But not before it is.
		{"recursive read lock and a writer", "0 #1, 0 #5, 0.1 #2, 0.1 #2",
			Expect{KindReachable, stuck("0.1 #3")}, Infeasible, 4, "0.1 is still blocked in lock on rwmutex#1 at #2"},
		{"done before add", "0 #1, 0.1 #2",
			Expect{KindNegativeCounter, stuck("0.1 #2")}, Reproduced, 0, "panic: sync: negative WaitGroup counter"},
		{"done before add", "0 #1, 0.1 #2, 0 #3",
			Expect{KindDeadlock, nil}, Infeasible, 3, "the program has ended: negative WaitGroup counter in goroutine 0.1"},
		{"send and close", "0 #1, 0 #4, 0 #6, 0.2 #4.start, 0.2 #5",
			Expect{KindSendOnClosed, stuck("0.2 #5")}, Reproduced, 0, "panic: send on closed channel"},
		{"send and close", "0 #1, 0 #4, 0.2 #5, 0 #6",
			Expect{KindSendOnClosed, stuck("0.2 #5")}, NotReproduced, 0, ""},
		// Lock, wait, signal, then the waiter takes the lock with a step or without.
		{"missed signal", "0 #1, 0 #5, 0 #6, 0.1 #2, 0.1 #3, 0.1 #4, 0 #6, 0 #7",
			Expect{KindReachable, stuck("0 #99")}, Reproduced, 0, ""},
		{"missed signal", "0 #1, 0 #5, 0 #6, 0.1 #2, 0.1 #3, 0.1 #4, 0 #7",
			Expect{KindReachable, stuck("0 #99")}, Reproduced, 0, ""},
		{"missed signal", "0 #1, 0 #5, 0 #6, 0.1 #2, 0.1 #3, 0 #7",
			Expect{KindReachable, stuck("0 #99")}, Infeasible, 6, "0 is blocked in cond wait on cond#1"},
		{"missed signal", "0 #1, 0.1 #2, 0.1 #3, 0.1 #4, 0 #5",
			Expect{KindDeadlock, stuck("0 #6")}, Reproduced, 0, ""},
		// The result first, then time: the select takes the result.
		{"timeout, context and callback", "0 #1, 0.1 #2, T, 0.1 #3, 0 #6/0",
			Expect{KindReachable, stuck("0 #99")}, Reproduced, 0, ""},
		{"timeout, context and callback", "0 #1, 0.1 #2, T, T, 0 #6/2",
			Expect{KindLeak, stuck("0.1 #3")}, Reproduced, 0, "0.1 blocked in send on chan#1"},
		{"timeout, context and callback", "0 #1, 0.1 #2, T, T, 0 #6/1",
			Expect{KindLeak, stuck("0.1 #3")}, Infeasible, 5, "case 2 was ready, 1 was not"},
		{"timeout, context and callback", "0 #1, T, T, T, F@#4.1 #5, 0 #6/1",
			Expect{KindReachable, stuck("0 #99")}, Reproduced, 0, ""},
		{"timeout, context and callback", "0 #1, T, T, T, T",
			Expect{KindReachable, nil}, Infeasible, 5, "no timer is pending"},
		{"broken mutual exclusion", "0 #1, 0 #20, 0.1 #10, 0 #21, 0.1 #11, 0 #22, 0.1 #12, 0.1 #13",
			Expect{KindPanic, stuck("0.1 #13")}, Reproduced, 0, "panic: both inside"},
		{"double unlock", "0 #1, 0 #4, 0 #5, 0.1 #2, 0 #6, 0 #7, 0.1 #3",
			Expect{KindUnlockUnlocked, stuck("0.1 #3")}, Reproduced, 0, "fatal error: sync: unlock of unlocked mutex"},
		{"exit beside a sender", "0 #1, 0 #3, 0.1 #2",
			Expect{KindExit, stuck("0.1 #2")}, Reproduced, 0, "exit status 3"},
		{"once in itself", "0 #1", Expect{KindDeadlock, stuck("0 #2")}, Reproduced, 0, "0 blocked in once on once#1 at #2"},
		{"once in itself", "0.1 #2", Expect{KindDeadlock, nil}, Infeasible, 1, "0.1 has not been created"},
		{"once in itself", "0 nowhere", Expect{KindDeadlock, nil}, Infeasible, 1, "the program has no such site"},
	}
	for _, tt := range tests {
		t.Run(tt.program+": "+tt.plan, func(t *testing.T) {
			cfg := mainOf(tt.program).config(bubble(t))
			cfg.Plan = Plan{Steps: steps(tt.plan), Expect: tt.expect}
			res := Run(cfg)
			require.Equal(t, tt.verdict, res.Verdict, "%s", res)
			require.Equal(t, tt.step, res.Step, "%s", res)
			require.Contains(t, res.Message, tt.message)
			require.False(t, res.Weak)
		})
	}
}

// TestSends: queued senders are received from in order, and a polling send
// needs a receiver that has queued.
func TestQueues(t *testing.T) {
	t.Run("senders are served in the order in which they queued", func(t *testing.T) {
		var got []int
		res := Run(Config{Bubble: bubble(t), Entry: EntryTest, Plan: Plan{Steps: steps("0 #1, 0 #1, 0 #1, 0.3 #2, 0.1 #2, 0.2 #2, 0 #3, 0 #3, 0 #3")}, Main: func() {
			c := make(chan int)
			for i := range 3 {
				Go(1, func() { To(c).Send(2, i+1) })
			}
			for range 3 {
				got = append(got, Recv(3, c))
			}
		}})
		require.Equal(t, Completed, res.Verdict, "%s", res)
		require.Equal(t, []int{3, 1, 2}, got)
	})
	t.Run("a queued sender's value moves into the buffer at once", func(t *testing.T) {
		var lens []int
		res := Run(Config{Bubble: bubble(t), Entry: EntryTest, Plan: Plan{Steps: steps("0 #1, 0 #2, 0.1 #3, 0 #4")}, Main: func() {
			c := make(chan int, 1)
			Go(1, func() { To(c).Send(3, 2) })
			To(c).Send(2, 1)
			lens = append(lens, Recv(4, c), len(c))
			lens = append(lens, Recv(5, c), len(c))
		}})
		require.Equal(t, Completed, res.Verdict, "%s", res)
		require.Equal(t, []int{1, 1, 2, 0}, lens)
	})
	t.Run("close completes queued receivers and panics queued senders", func(t *testing.T) {
		oks := map[string]bool{}
		res := Run(Config{Bubble: bubble(t), Entry: EntryTest, Plan: Plan{Steps: steps("0 #1, 0 #4, 0.1 #2, 0 #3")}, Main: func() {
			c := make(chan int)
			Go(1, func() {
				_, ok := Recv2(2, c)
				oks["receiver"] = ok
				r := R(c)
				oks["select"] = Select(6, false, r, R[int](nil)) != 0 || r.OK
			})
			Access(4)
			Close(3, c)
		}})
		require.Equal(t, Completed, res.Verdict, "%s", res)
		require.Equal(t, map[string]bool{"receiver": false, "select": false}, oks)

		res = Run(Config{Bubble: bubble(t), Plan: Plan{Steps: steps("0 #1, 0.1 #2, 0 #3"), Expect: Expect{KindSendOnClosed, stuck("0.1 #2")}}, Main: func() {
			c := make(chan int)
			Go(1, func() { To(c).Send(2, 1) })
			Close(3, c)
			Access(4)
		}})
		require.Equal(t, Reproduced, res.Verdict, "%s", res)
		require.Contains(t, res.Outcome.Stack[0], "plan_test.go:")
	})
	t.Run("a mutex is not handed over", func(t *testing.T) {
		var order []string
		lock := func(m *sync.Mutex, who string) {
			Lock(3, m)
			order = append(order, who)
			Unlock(4, m)
		}
		res := Run(Config{Bubble: bubble(t), Entry: EntryTest, Plan: Plan{
			Steps: steps("0 #1, 0 #2, 0 #5, 0.1 #3, 0.2 #3, 0 #6, 0.2 #3, 0.2 #4, 0.1 #3")}, Main: func() {
			var m sync.Mutex
			Go(1, func() { lock(&m, "first") })
			Go(2, func() { lock(&m, "second") })
			Lock(5, &m)
			Unlock(6, &m)
		}})
		require.Equal(t, Completed, res.Verdict, "%s", res)
		require.Equal(t, []string{"second", "first"}, order)
	})
	t.Run("a cond serves in order, whatever order the waiters queue for the lock", func(t *testing.T) {
		var order []int
		res := Run(Config{Bubble: bubble(t), Entry: EntryTest, Plan: Plan{
			Steps: steps("0 #1, 0 #1, 0.2 #2, 0.2 #3, 0.1 #2, 0.1 #3, 0 #5, 0.2 #4")}, Main: func() {
			var m sync.Mutex
			c := sync.NewCond(&m)
			for i := range 2 {
				Go(1, func() {
					LockIface(2, c.L)
					CondWait(3, c)
					order = append(order, i+1)
					UnlockIface(4, c.L)
				})
			}
			CondSignal(5, c)
			CondBroadcast(6, c)
		}})
		require.Equal(t, Completed, res.Verdict, "%s", res)
		require.Equal(t, []int{2, 1}, order)
		require.Empty(t, res.Outcome.Kind)
	})
	t.Run("a writer that waits fails TryRLock, and its unlock lets the readers in", func(t *testing.T) {
		var tries []bool
		res := Run(Config{Bubble: bubble(t), Entry: EntryTest, Plan: Plan{
			Steps: steps("0 #1, 0 #2, 0 #5, 0.1 #3, 0 #6, 0.2 #7, 0 #8, 0.1 #4, 0.2 #9")}, Main: func() {
			var m sync.RWMutex
			Go(1, func() {
				WLock(3, &m)
				WUnlock(4, &m)
			})
			Go(2, func() {
				LockIface(7, m.RLocker())
				tries = append(tries, true)
				UnlockIface(9, m.RLocker())
			})
			RLock(5, &m)
			tries = append(tries, TryRLock(6, &m))
			RUnlock(8, &m)
		}})
		require.Equal(t, Completed, res.Verdict, "%s", res)
		require.Equal(t, []bool{false, true}, tries)
	})
	t.Run("two selects meet", func(t *testing.T) {
		var got []int
		res := Run(Config{Bubble: bubble(t), Entry: EntryTest, Plan: Plan{Steps: steps("0 #1, 0.1 #2, 0 #3/1")}, Main: func() {
			a, b := make(chan int), make(chan int)
			Go(1, func() {
				ra, rb := R(a), R(b)
				got = append(got, Select(2, false, ra, rb), ra.V, rb.V)
			})
			got = append(got, Select(3, false, R(a), To(b).Case(7)))
		}})
		require.Equal(t, Completed, res.Verdict, "%s", res)
		require.Equal(t, []int{1, 1, 0, 7}, got)
	})
}

func TestTestEntry(t *testing.T) {
	failed := false
	cfg := Config{Bubble: bubble(t), Entry: EntryTest, EndSite: endSite, Failed: func() bool { return failed },
		Plan: Plan{Expect: Expect{Kind: KindTestFailure}},
		Main: func() {
			c := make(chan int)
			Go(1, func() { To(c).Send(2, 1) })
			defer Close(3, c)
			TestEnd(4, func() { failed = true; Goexit(5) })
		}}
	res := Run(cfg)
	require.Equal(t, Reproduced, res.Verdict, "the test was over when another goroutine panicked: %s", res)
	require.Equal(t, KindTestFailure, res.Outcome.Kind)
	require.Contains(t, res.Outcome.Message, KindSendOnClosed)

	failed = false
	cfg.Main = func() {
		c := make(chan int)
		Go(1, func() {
			Close(2, c)
			Close(3, c)
		})
		failed = true
		Recv(4, make(chan int))
	}
	res = Run(cfg)
	require.Equal(t, NotReproduced, res.Verdict, "a panic is more than a failed test: %s", res)
	require.Equal(t, KindCloseOfClosed, res.Outcome.Kind)

	failed = false
	cfg.Main = func() {
		TestEnd(4, func() { failed = true; Goexit(5) })
	}
	res = Run(cfg)
	require.Equal(t, Reproduced, res.Verdict, "%s", res)

	failed = false
	cfg.Main = func() {
		Go(1, func() { Recv(2, make(chan int)) })
		failed = true // t.Error
	}
	res = Run(cfg)
	require.Equal(t, Reproduced, res.Verdict, "%s", res)
	require.Equal(t, KindLeak, res.Outcome.Kind)
}

// TestOutlastingMain: main ends the program wherever others are, but for a plan that expects
// them to be stuck for good: that shows only if they can go on.
func TestOutlastingMain(t *testing.T) {
	main := func() {
		a, b := make(chan int), make(chan int)
		Go(1, func() {
			Recv(10, a)
			To(b).Send(11, 1)
		})
		Go(2, func() {
			Recv(20, b)
			To(a).Send(21, 1)
		})
		Access(3)
	}
	for _, c := range []struct {
		entry   string
		expect  Expect
		verdict string
	}{
		{EntryMain, Expect{KindPartialDeadlock, stuck("0.1 #10", "0.2 #20")}, Reproduced},
		{EntryMain, Expect{KindLeak, stuck("0.1 #10", "0.2 #20")}, Reproduced},
		{EntryMain, Expect{KindDeadlock, stuck("0.1 #10", "0.2 #20")}, NotReproduced},
		{EntryTest, Expect{KindLeak, stuck("0.1 #10", "0.2 #20")}, Reproduced},
	} {
		res := Run(Config{Bubble: bubble(t), Entry: c.entry, EndSite: endSite, Main: main, Plan: Plan{Steps: steps("0 #1, 0 #2, 0 #3, 0.1 #10, 0.2 #20"), Expect: c.expect}})
		require.Equal(t, c.verdict, res.Verdict, "%v %s: %s", c.entry, c.expect.Kind, res)
	}
}

func TestWaitGroupGo(t *testing.T) {
	res := Run(Config{Bubble: bubble(t), Plan: Plan{Steps: steps("0 #1, 0 #2, 0.1 #1.start, 0.1 #3, 0 #4")}, EndSite: endSite, Main: func() {
		var wg sync.WaitGroup
		WGGo(1, &wg, func() { Goexit(3) })
		Wait(2, &wg)
		Access(4)
	}})
	require.Equal(t, Completed, res.Verdict, "%s", res)

	_, file, line, _ := runtime.Caller(0)
	RegisterSites("example.com/group", []SiteInfo{{ID: 1101, Key: "group.panic", File: file, Line: line + 6}})
	res = Run(Config{Bubble: bubble(t), Plan: Plan{Expect: Expect{KindPanic, stuck("0.1 group.panic")}}, Main: func() {
		var wg sync.WaitGroup
		WGGo(1, &wg, func() {
			defer Access(5) // guards passed while panicking are not where it panicked
			panic(Panic(1101, errors.New("in the group")))
		})
		Wait(2, &wg)
	}})
	require.Equal(t, Reproduced, res.Verdict, "%s", res)
	require.Equal(t, "panic: in the group", res.Outcome.Message)
	require.Len(t, res.Outcome.Stack, 1, "%v", res.Outcome.Stack)
}

func TestLogAndJournal(t *testing.T) {
	var log, journal bytes.Buffer
	cfg := Config{Bubble: bubble(t), EndSite: "p.main.end", Log: &log, Journal: &journal, Record: true,
		Plan: Plan{Steps: []Step{
			{G: "0", Site: "p.main#1", Occ: 1},
			{G: "0", Site: "p.main#2", Occ: 1},
			{G: "T"},
			{G: "0.1", Site: "p.main$1#1", Occ: 1},
			{G: "0", Site: "p.main.end", Occ: 1},
		}},
		Main: func() {
			c := make(chan int)
			Go(1001, func() {
				To(c).Send(1002, 1)
			})
			time.AfterFunc(1500*time.Millisecond, func() {})
			<-time.After(0) // uninstrumented: time stands still
			_ = Due(1, 1500*time.Millisecond)
			Recv(1003, c)
			Line(1004)
		}}
	res := Run(cfg)
	require.Equal(t, Completed, res.Verdict, "%s", res)
	require.Equal(t, `0.000s 0  :  p/main.go:5: go func() {
0.000s 0  :  p/main.go:8: <-c
1.500s 0.1  :  p/main.go:5: go func() {
1.500s 0.1  :  p/main.go:6: c <- 1
1.500s 0  :  p/main.go:9: x++
1.500s 0  :  p/main.go:10: }
`, log.String())
	require.Equal(t, `1 0 p.main#1 1 0
2 0 p.main#2 1 0
3 T
4 0.1 p.main#1.start 1
5 0.1 p.main$1#1 1 0
6 0 p.main.end 1 0
`, journal.String())
	require.Equal(t, 1500*time.Millisecond, res.VirtualTime)
	require.Len(t, res.Trace, 6)
}

func TestInfeasibleReport(t *testing.T) {
	res := Run(Config{Bubble: bubble(t), EndSite: "p.main.end",
		Plan: Plan{Steps: []Step{
			{G: "0", Site: "p.main#1", Occ: 1},
			{G: "0", Site: "p.main#2", Occ: 1},
			{G: "0", Site: "p.main.end", Occ: 1},
		}},
		Main: func() {
			c := make(chan int)
			Go(1001, func() {})
			Recv(1003, c)
		}})
	require.Equal(t, Infeasible, res.Verdict)
	require.Equal(t, 3, res.Step)
	require.Equal(t, "0 is blocked in receive on chan#1 at p.main#2 (p/main.go:8: <-c)", res.Found)
	require.Equal(t, "step 3 of 3 could not be done: expected 0 at p.main.end (p/main.go:10: }); found that "+res.Found, res.Message)
	require.Len(t, res.Goroutines, 2)
	g := res.Goroutines[0]
	require.Equal(t, GState{G: "0", State: "blocked", Op: "receive", Object: "chan#1", Site: "p.main#2", Source: "p/main.go:8: <-c", Stack: g.Stack}, g)
	require.Contains(t, g.Stack[0], "orcruntime.TestInfeasibleReport.func1 plan_test.go:")
	require.Equal(t, "not started", res.Goroutines[1].State)
}

// TestForeign: goroutines of uninstrumented code run instrumented functions
// with the real operations, and the result says so.
func TestForeign(t *testing.T) {
	t.Run("operation", func(t *testing.T) {
		got := 0
		res := Run(Config{Bubble: bubble(t), Main: func() {
			c := make(chan int)
			go func() { To(c).Send(2, 7) }() // as a library would
			got = Recv(3, c)
		}})
		require.Equal(t, Completed, res.Verdict, "%s", res)
		require.Equal(t, 7, got)
		require.True(t, res.Weak)
		require.Equal(t, []string{"operation by a goroutine outside control at #2"}, res.Notes)
	})
	t.Run("goroutine from before the run", func(t *testing.T) {
		gate, done := make(chan bool), make(chan bool)
		Go(1, func() {
			<-gate
			Access(2)
			close(done)
		})
		res := Run(Config{Patience: time.Millisecond, Main: func() {
			Access(3)
			close(gate)
			<-done // meanwhile it comes to its guard
			Access(4)
		}})
		require.Equal(t, Completed, res.Verdict, "%s", res)
		require.Equal(t, []string{"outside control: goroutines that the program started before the run: 1", "operation by a goroutine outside control at #2"}, res.Notes)
		require.True(t, res.Weak)
	})
	t.Run("wait in a library", func(t *testing.T) {
		res := Run(Config{Bubble: bubble(t), Main: func() {
			gate, done := make(chan int), make(chan int)
			Go(1, func() { close(gate) })
			go func() { <-gate; close(done) }()
			Access(2)
			<-done
			Access(3)
		}})
		require.Equal(t, Completed, res.Verdict, "%s", res)
		require.Empty(t, res.Outcome.Kind, "%s", res)
		require.True(t, res.Weak)
	})
	t.Run("sleep in a library", func(t *testing.T) {
		var after time.Duration
		res := Run(Config{Bubble: bubble(t), Main: func() {
			start := time.Now()
			Access(1)
			time.Sleep(time.Second)
			Access(2)
			after = time.Since(start)
		}})
		require.Equal(t, Completed, res.Verdict, "%s", res)
		require.Equal(t, time.Second, after)
		require.True(t, res.Weak)
	})
	t.Run("several come back at once", func(t *testing.T) {
		for range 200 {
			closed := 0
			res := Run(Config{Bubble: bubble(t), Main: func() {
				gate, done := make(chan int), make(chan int, 8)
				for range 8 {
					Go(1, func() {
						<-gate
						Due(1, time.Second)
						Close(4, make(chan int))
						To(done).Send(5, 1)
					})
				}
				Sleep(2, 1)
				close(gate)
				for range 8 {
					closed += Recv(3, done)
				}
			}})
			require.Equal(t, Completed, res.Verdict, "%s", res)
			require.Empty(t, res.Outcome.Kind, "%s", res)
			require.Equal(t, 8, closed)
		}
	})
	t.Run("unchecked", func(t *testing.T) {
		res := Run(Config{Bubble: bubble(t), Unchecked: true, Main: func() {
			Go(1, func() { Access(2) })
			Access(3)
			time.Sleep(time.Second)
			Access(4)
		}})
		require.Equal(t, Unsupported, res.Verdict)
		require.Contains(t, res.Message, "goroutine 0 blocked in code without guards after #3")
	})
	t.Run("left blocked in a library", func(t *testing.T) {
		res := Run(Config{Bubble: bubble(t), Entry: EntryTest, Main: func() {
			Go(1, func() { <-make(chan int) })
		}})
		require.Equal(t, Completed, res.Verdict, "%s", res)
		require.Equal(t, KindLeak, res.Outcome.Kind)
		require.True(t, res.Weak)
		require.Equal(t, "outside", res.Goroutines[1].State)
	})
	t.Run("lock shared with a library", func(t *testing.T) {
		res := Run(Config{Bubble: bubble(t), Main: func() {
			var m sync.Mutex
			m.Lock()
			time.AfterFunc(time.Second, m.Unlock)
			Lock(1, &m)
			Unlock(2, &m)
		}})
		require.Equal(t, Completed, res.Verdict, "%s", res)
		require.Empty(t, res.Outcome.Kind, "%s", res)
	})
	t.Run("wait group shared with a library", func(t *testing.T) {
		res := Run(Config{Bubble: bubble(t), Main: func() {
			var wg sync.WaitGroup
			Add(1, &wg, 1)
			time.AfterFunc(time.Second, wg.Done)
			Wait(2, &wg)
		}})
		require.Empty(t, res.Outcome.Kind, "%s", res)
	})
	t.Run("callbacks of a context", func(t *testing.T) {
		var order []int
		res := Run(Config{Bubble: bubble(t), Entry: EntryTest, Plan: Plan{Steps: steps("0 #3, F@#2.1 #4, F@#1.1 #4")}, Main: func() {
			ctx, cancel := context.WithCancel(context.Background())
			context.AfterFunc(ctx, Callback(1, func() { Access(4); order = append(order, 1) }))
			context.AfterFunc(ctx, Callback(2, func() { Access(4); order = append(order, 2) }))
			cancel()
			Access(3)
		}})
		require.Equal(t, Completed, res.Verdict, "%s", res)
		require.Equal(t, []int{2, 1}, order)
	})
}

func TestLimitAndStop(t *testing.T) {
	spin := func() {
		for Access(1) == 0 {
		}
	}
	res := Run(Config{Bubble: bubble(t), Main: spin, Plan: Plan{MaxSteps: 50}})
	require.Equal(t, Limit, res.Verdict)
	require.Equal(t, 50, res.Steps)
	res = Run(Config{Bubble: bubble(t), Main: func() {
		Go(2, func() { Recv(3, make(chan int)) })
		spin()
	}, Plan: Plan{Steps: steps("0 #2, 0.1 #3"), MaxSteps: 50, Expect: Expect{KindPartialDeadlock, stuck("0.1 #3")}}})
	require.Equal(t, Limit, res.Verdict)
	require.Contains(t, res.Message, "those expected to be stuck have been blocked since step 3")
	// A goroutine that spins does not starve the one it waits for, nor time.
	stop := false
	res = Run(Config{Bubble: bubble(t), Main: func() {
		Go(1, func() { Sleep(2, time.Second); Access(3); stop = true })
		for Access(4) == 0 && !stop {
		}
	}})
	require.Equal(t, Completed, res.Verdict, "%s", res)
	require.Equal(t, Unsupported, Run(Config{}).Verdict)
	require.Equal(t, Unsupported, Run(Config{Main: spin, Entry: "x"}).Verdict)
	res = Run(Config{Main: func() { res = Run(Config{Main: spin}) }})
	require.Equal(t, Completed, res.Verdict)
}

// TestTimersAtOnce: all that happens at one instant has happened when time has
// passed, though nobody waited for it.
func TestTimersAtOnce(t *testing.T) {
	for range 500 {
		var got [4]int
		res := Run(Config{Bubble: bubble(t), Entry: EntryTest, Plan: Plan{Steps: steps("0 #1, T, 0 #1, 0 #2/0, 0 #2/0, 0 #2/0, 0 #2/0, 0 #3, F@#4.1 #5, F@#4.2 #5")}, Main: func() {
			var timers [3]<-chan time.Time
			for i := range timers {
				timers[i] = time.After(Due(1, time.Second))
			}
			time.AfterFunc(Due(1, time.Second), Callback(4, func() { Access(5) }))
			ctx, cancel := context.WithTimeout(context.Background(), Due(1, time.Second))
			defer cancel()
			time.AfterFunc(Due(1, time.Second), Callback(4, func() { Access(5) }))
			Access(1)
			Access(1)
			for i, c := range timers {
				got[i] = Select(2, true, R(c))
			}
			got[3] = Select(2, true, R(ctx.Done()))
			Access(3)
		}})
		require.Equal(t, Completed, res.Verdict, "%s", res)
		require.Zero(t, got)
	}
}

// TestInitializers: a run initialises the packages first, in goroutine 0, and
// their guards are steps.
func TestInitializers(t *testing.T) {
	saved := program.inits
	program.inits = nil
	defer func() { program.inits = saved }()
	var order []string
	var c chan int
	RegisterInit("b", 2, func() { order = append(order, "b"); Go(1, func() { Close(2, c) }) })
	RegisterInit("c", 1, func() { order = append(order, "c") })
	RegisterInit("a", 1, func() { order = append(order, "a"); c = make(chan int) })
	for range 2 {
		order = nil
		res := Run(Config{Bubble: bubble(t), Plan: Plan{Steps: steps("0 #1, 0 #3, 0.1 #2")}, Main: func() { Recv(3, c) }})
		require.Equal(t, Completed, res.Verdict, "%s", res)
		require.Equal(t, []string{"a", "c", "b"}, order)
	}
	RegisterInit("d", 3, func() { panic("no configuration") })
	res := Run(Config{Bubble: bubble(t), Plan: Plan{Expect: Expect{Kind: KindPanic}}, Main: func() {}})
	require.Equal(t, Reproduced, res.Verdict, "%s", res)
}

// TestDaemons: after a test, a goroutine that initialisation has started, or one
// that such a goroutine has started, is a leak only where it holds up others.
func TestDaemons(t *testing.T) {
	saved := program.inits
	program.inits = nil
	defer func() { program.inits = saved }()
	var daemon, main func()
	RegisterInit("a", 1, func() { Go(1, func() { Go(2, func() { daemon() }) }) })
	locks := func() {
		var mu sync.Mutex
		Lock(3, &mu)
		Lock(4, &mu)
	}
	waits := func() { Recv(4, make(chan int)) }
	for _, tt := range []struct {
		name         string
		kind         string
		main, daemon func()
		stuck        []At
	}{
		{"receive", "", func() {}, waits, nil},
		{"select", "", func() {}, func() { Select(4, false) }, nil},
		{"ticks", "", func() {}, func() {
			for {
				Sleep(4, time.Second)
			}
		}, nil},
		{"ticks, and a lock in the end", KindLeak, func() {}, func() {
			for range 10 {
				Sleep(5, time.Second)
			}
			locks()
		}, stuck("0.1.1 #4")},
		{"cond", "", func() {}, func() {
			c := sync.NewCond(new(sync.Mutex))
			LockIface(3, c.L)
			CondWait(4, c)
		}, nil},
		{"lock", KindLeak, func() {}, locks, stuck("0.1.1 #4")},
		{"wait group", KindLeak, func() {}, func() {
			var wg sync.WaitGroup
			Add(3, &wg, 1)
			Wait(4, &wg)
		}, stuck("0.1.1 #4")},
		{"leak of the test", KindLeak, func() { Go(5, waits) }, waits, stuck("0.2 #4")},
		{"deadlock", KindDeadlock, waits, waits, stuck("0 #4", "0.1.1 #4")},
	} {
		daemon, main = tt.daemon, tt.main
		for _, chooser := range []Chooser{nil, Random(1), Random(2)} {
			res := Run(Config{Bubble: bubble(t), Entry: EntryTest, EndSite: endSite, Chooser: chooser, Main: main})
			require.Equal(t, Completed, res.Verdict, "%s: %s", tt.name, res)
			require.Equal(t, tt.kind, res.Outcome.Kind, "%s: %s", tt.name, res)
			require.Equal(t, tt.stuck, res.Observed().Goroutines, tt.name)
			require.Less(t, res.Steps, 2*calmDaemons+20, tt.name)
		}
		res := Run(Config{Bubble: bubble(t), Entry: EntryTest, EndSite: endSite, Main: main, Plan: Plan{Expect: Expect{KindLeak, stuck("0.1.1 #4")}}})
		require.Equal(t, tt.kind == KindLeak && tt.stuck[0].G == "0.1.1", res.Verdict == Reproduced, "%s: %s", tt.name, res)
	}
}

func TestWatchdog(t *testing.T) {
	var mu sync.Mutex
	mu.Lock()
	defer mu.Unlock() // lets the abandoned run end
	res := Run(Config{Watchdog: 10 * time.Millisecond, Main: func() {
		Access(1)
		mu.Lock() // as a library would
		defer mu.Unlock()
	}})
	require.Equal(t, Unsupported, res.Verdict)
	require.Equal(t, "no step was completed for 10ms: goroutine 0 does not come to another guard after #1", res.Message)

	// Who waits for the system is given up soon, whatever the watchdog is.
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	defer w.Close() // lets the abandoned run end
	res = Run(Config{Bubble: bubble(t), Watchdog: time.Hour, Main: func() {
		Access(1)
		r.Read(make([]byte, 1))
	}})
	require.Equal(t, Unsupported, res.Verdict)
	require.Equal(t, "goroutine 0 waits for the network, a file or another process, which no run controls, after #1", res.Message)

	res = Run(Config{Bubble: bubble(t), Watchdog: time.Minute, Main: func() { Access(1) }})
	require.Equal(t, Completed, res.Verdict, "%s", res)
}

func TestOutsideBubble(t *testing.T) {
	res := Run(Config{Patience: time.Millisecond, Main: func() { Recv(1, make(chan int)) }})
	require.Equal(t, KindDeadlock, res.Outcome.Kind)
	require.Equal(t, []string{"outside a bubble: nothing moved for 1ms, which is no proof"}, res.Notes)
}

// TestOriginals: what the initialisation of the process has started stops at its
// first guard beside a run if the run starts another in its place; what else goes
// on from before makes the run weak.
func TestOriginals(t *testing.T) {
	require.Empty(t, initialising())
	acting := before.acting.Load
	run := func() Result { return Run(Config{Bubble: bubble(t), Main: func() { Access(2) }}) }

	RegisterRepeated("example.com/repeated")
	start := func(pkg string) (guarded chan bool, done chan bool) {
		guarded, done = make(chan bool, 1), make(chan bool)
		begun := make(chan bool)
		before.run.Store(false) // runs of other tests are in another process, so to say
		go startedBy(pkg, func() {
			defer close(done)
			close(begun)
			for active.Load() == nil {
				runtime.Gosched()
			}
			Access(1)
			guarded <- true
		})()
		<-begun
		return guarded, done
	}
	before, _ := goroutinesBefore()
	others := acting()
	guarded, _ := start("example.com/repeated")
	require.Equal(t, others+1, acting(), "it may come to a guard")
	res := run()
	require.Equal(t, Completed, res.Verdict, "%s", res)
	require.False(t, res.Weak, "%v", res.Notes)
	for now := before + 1; now > before; now, _ = goroutinesBefore() {
		run() // it comes to its guard beside this run or the next
	}
	require.Empty(t, guarded)
	require.Equal(t, others, acting(), "it is stopped for good, and operations need not tell it apart any more")

	guarded, done := start("example.com/once")
	res = run()
	require.True(t, res.Weak) // by being there, or by what it does
	for len(guarded) == 0 {
		run()
	}
	<-done
}

// TestFreedByLibrary: a plan goes on with a goroutine that has waited for a lock when code that is not instrumented has given
// it back, which no guard shows.
func TestFreedByLibrary(t *testing.T) {
	for _, writer := range []bool{false, true} {
		var mu sync.Mutex
		var rw sync.RWMutex
		res := Run(Config{Bubble: bubble(t), Entry: EntryTest, Plan: Plan{Steps: steps("0 #1, 0.1 #2, 0 #3, 0.1 #2, 0.1 #4")}, Main: func() {
			mu.Lock() // as a library does
			rw.Lock()
			Go(1, func() {
				if writer {
					WLock(2, &rw)
				} else {
					Lock(2, &mu)
				}
				Access(4)
			})
			Access(3)
			mu.Unlock()
			rw.Unlock()
			Access(5)
		}})
		require.Equal(t, "", res.Found, "%s", res)
		require.Equal(t, Completed, res.Verdict, "%s", res)
	}
}

// TestLongPlan: a plan may have more steps than a run without one.
func TestLongPlan(t *testing.T) {
	inLong(t)
	main := func() {
		var mu sync.Mutex
		for range defaultMaxSteps/2 + 10 {
			Lock(1, &mu)
			Unlock(2, &mu)
		}
		Lock(3, &mu)
		Lock(4, &mu)
	}
	cfg := Config{Bubble: bubble(t), Main: main, Entry: EntryMain, NoStacks: true, NoLog: true, Record: true, Chooser: Random(1)}
	cfg.Plan.MaxSteps = 3 * defaultMaxSteps
	r := Run(cfg)
	require.Equal(t, Completed, r.Verdict)
	require.Greater(t, len(r.Trace), defaultMaxSteps)
	cfg.Chooser, cfg.Plan = nil, Plan{Steps: r.Trace, Expect: r.Observed()}
	require.Equal(t, Reproduced, Run(cfg).Verdict)
}

// Steps that are done again go on counting how often their goroutine has passed each site.
func TestWhole(t *testing.T) {
	at := func(site string, occ int) Step { return Step{G: "0", Site: site, Occ: occ} }
	plan := Plan{
		Steps:   []Step{at("a", 1), at("b", 1), at("c", 1), at("b", 2), {G: "0.1", Site: "b"}, at("d", 1)},
		Repeats: []Repeat{{At: 1, Length: 4, Times: 3}},
	}
	steps, err := plan.Whole()
	require.NoError(t, err)
	other := Step{G: "0.1", Site: "b"}
	require.Equal(t, []Step{
		at("a", 1), at("b", 1), at("c", 1), at("b", 2), other, at("b", 3), at("c", 2), at("b", 4), other, at("b", 5), at("c", 3), at("b", 6), other, at("d", 1),
	}, steps)
	for name, r := range map[string][]Repeat{
		"behind the end":  {{At: 5, Length: 2, Times: 2}},
		"before":          {{At: -1, Length: 2, Times: 2}},
		"no steps":        {{At: 0, Length: 0, Times: 2}},
		"never":           {{At: 0, Length: 1, Times: 0}},
		"overlap":         {{At: 0, Length: 2, Times: 2}, {At: 1, Length: 1, Times: 2}},
		"too many":        {{At: 0, Length: 1, Times: 1 << 40}},
		"overflow":        {{At: 0, Length: 2, Times: 1 << 62}},
		"length overflow": {{At: 1, Length: 1<<63 - 1, Times: 1}},
	} {
		_, err := Plan{Steps: plan.Steps, Repeats: r}.Whole()
		require.Error(t, err, name)
	}
}
