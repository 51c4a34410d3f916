package orcruntime

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A run that is asked for it says what operations have given: truth values and integers, of any type, what is nil and
// what is closed. Texts and structs it does not.
func TestGiven(t *testing.T) {
	type state int8
	given := func(values bool) map[string]string {
		res := Run(Config{Bubble: bubble(t), Entry: EntryTest, Chooser: Random(1), Record: true, values: values, Main: func() {
			var free, held sync.Mutex
			Lock(1, &held)
			TryLock(2, &free)
			TryLock(3, &held)
			var n atomic.Int32
			Int32(4, 0, &n).Store(5)
			Int32(5, 0, &n).Load()
			Int32(6, 0, &n).CompareAndSwap(4, 1)
			Int32(7, 0, &n).Add(2)
			Int32(8, 0, &n).Swap(1)
			Loading(9, 0, atomic.LoadInt32)(new(int32))
			Swapping(10, 0, atomic.CompareAndSwapInt32)(new(int32), 0, 1)
			Updating(11, 0, atomic.AddUint64)(new(uint64), 3)
			states, texts, errs := make(chan state, 1), make(chan string, 1), make(chan error, 2)
			To(states).Send(12, -3)
			Recv(13, states)
			To(texts).Send(14, "secret")
			Recv(15, texts)
			To(errs).Send(16, errors.New("x"))
			To(errs).Send(17, nil)
			Recv(18, errs)
			Select(19, false, R(make(chan error)), R(errs))
			Close(20, states)
			Recv2(21, states)
			Access(22)
			Timer(22, time.NewTimer(time.Hour)).Stop()
			// One that others complete, later.
			later := make(chan state)
			Go(23, func() { To(later).Send(25, 7) })
			Select(26, false, R(later), R(make(chan state)))
		}})
		require.Equal(t, Completed, res.Verdict, res.String())
		out := map[string]string{}
		for _, g := range res.Given {
			out[res.Trace[g.Step-1].Site] = g.Value
		}
		require.Len(t, out, len(res.Given), "one of each step")
		return out
	}
	require.Empty(t, given(false))
	got := given(true)
	require.Equal(t, map[string]string{
		"#2": "true", "#3": "false", "#5": "5", "#6": "false", "#7": "7", "#8": "7", "#9": "0", "#10": "true", "#11": "3",
		"#13": "-3", "#18": "not nil", "#19": "nil", "#21": "closed", "#22": "true", "#26": "7",
	}, got)
}

// TestReadsBeforeStep: what a goroutine reads before its first step belongs to none.
func TestReadsBeforeStep(t *testing.T) {
	res := Run(Config{Bubble: bubble(t), Entry: EntryTest, Chooser: Random(1), Record: true, values: true, Guards: map[Site]bool{2: true}, Main: func() {
		n := 7
		Access(1)
		Reads(1, "n", n)
		n = Stores(1, n+1)
		Go(3, func() { Access(2); Reads(2, "n", n); Reads(1, "n", n) })
	}})
	require.Equal(t, Completed, res.Verdict, res.String())
	require.Equal(t, []ReadValue{{3, "n", "8"}}, res.Reads)
	require.Empty(t, res.Effects)
}

// TestOwnDefect: an index out of range in this package is a defect of it, and one in the program is the program's.
func TestOwnDefect(t *testing.T) {
	panics := func(f func()) Result {
		return Run(Config{Bubble: bubble(t), Entry: EntryTest, Chooser: Random(1), Main: f})
	}
	var none []int
	res := panics(func() { none[len(none)]++ })
	require.Equal(t, KindPanic, res.Outcome.Kind, res.String())
	broken := goroutine{recorded: 5, run: &run{cfg: Config{values: true}}}
	res = panics(func() { broken.does(1) })
	require.Equal(t, Unsupported, res.Verdict, res.String())
	require.Contains(t, res.String(), "a defect of vtrace")
}

// TestReads: a run that is asked for it says what the statement reads and writes that its goroutine does, and nothing of
// others that are within it.
func TestReads(t *testing.T) {
	run := func(values bool) (reads, stored []string) {
		res := Run(Config{Bubble: bubble(t), Entry: EntryTest, Chooser: Random(1), Record: true, values: values, Main: func() {
			n, ok, text := 7, true, "secret"
			var list []int
			var err error
			Access(1)
			Reads(1, "n", n)
			Reads(1, "list", list)
			Access(2)
			n = Stores(2, n+1)
			Access(3)
			Reads(3, "text", text)
			Reads(3, "err", err)
			Reads(4, "n", n) // the statement of a site at which it is not
			n = Stores(4, n+1)
			require.Equal(t, 0, Access(5)|Reads(5, "ok", ok))
			require.Equal(t, 9, n)
		}})
		require.Equal(t, Completed, res.Verdict, res.String())
		for _, r := range res.Reads {
			reads = append(reads, res.Trace[r.Step-1].Site+" "+r.Name+" "+r.Value)
		}
		for _, e := range res.Effects {
			stored = append(stored, res.Trace[e.Step-1].Site+" "+e.After)
		}
		return reads, stored
	}
	reads, stored := run(false)
	require.Empty(t, append(reads, stored...))
	reads, stored = run(true)
	require.Equal(t, []string{"#1 n 7", "#1 list nil", "#3 err nil", "#5 ok true"}, reads)
	require.Equal(t, []string{"#2 8"}, stored)
}

// TestEffects: a run that is asked for it says on what steps work, and how they leave it. Who had to wait has left
// nothing behind at once.
func TestEffects(t *testing.T) {
	effects := func(values bool) map[string]string {
		res := Run(Config{Bubble: bubble(t), Entry: EntryTest, Chooser: FirstEnabled(), Record: true, values: values, Main: func() {
			c, d := make(chan int, 2), make(chan int)
			To(c).Send(1, 1)
			To(c).Send(2, 2)
			Select(3, false, R(d), R(c))
			var wg sync.WaitGroup
			Add(4, &wg, 2)
			Done(5, &wg)
			Done(6, &wg)
			var n atomic.Int32
			Int32(7, 0, &n).Store(5)
			Int32(21, 0, &n).Swap(6)
			Int32(22, 0, &n).CompareAndSwap(5, 1)
			Int32(23, 0, &n).CompareAndSwap(6, 7)
			Int32(24, 0, &n).Add(2)
			Int32(25, 0, &n).And(8)
			Int32(26, 0, &n).Load()
			Storing(27, 0, atomic.StoreInt32)(new(int32), 3)
			Swapping(28, 0, atomic.CompareAndSwapInt32)(new(int32), 0, 1)
			var mu sync.Mutex
			cond := sync.NewCond(&mu)
			CondSignal(8, cond)
			Go(9, func() {
				Lock(10, &mu)
				To(d).Send(11, 1)
				CondWait(12, cond)
				Unlock(13, &mu)
			})
			Recv(14, d)
			Lock(15, &mu)
			CondBroadcast(16, cond)
			Unlock(17, &mu)
			Close(18, c)
			WGGo(19, &wg, func() {})
			Wait(20, &wg)
		}})
		require.Equal(t, Completed, res.Verdict, res.String())
		out := map[string]string{}
		for _, e := range res.Effects {
			at := res.Trace[e.Step-1].Site
			out[at] = strings.TrimSpace(e.Object + " " + e.After)
		}
		return out
	}
	require.Empty(t, effects(false))
	require.Equal(t, map[string]string{
		"#1": "chan#1 1 of 2", "#2": "chan#1 2 of 2", "#3": "chan#1 1 of 2", "#4": "waitgroup#1 2", "#5": "waitgroup#1 1", "#6": "waitgroup#1 0",
		"#7": "atomic#1 5", "#21": "atomic#1 6", "#22": "atomic#1", "#23": "atomic#1 7", "#24": "atomic#1 9", "#25": "atomic#1 8",
		"#26": "atomic#1", "#27": "atomic#2 3", "#28": "atomic#3 1", "#8": "cond#1 nobody", "#10": "mutex#1", "#11": "chan#2 with 0", "#12": "cond#1", "#13": "mutex#1",
		"#14": "chan#2", "#15": "mutex#1", "#16": "cond#1 0.1", "#17": "mutex#1", "#18": "chan#1", "#19": "waitgroup#1 1", "#20": "waitgroup#1",
	}, effects(true))
}

// TestWaited: the steps in which somebody queues are told, once each, whoever lets it go on.
func TestWaited(t *testing.T) {
	for _, values := range []bool{false, true} {
		var mu sync.Mutex
		c := make(chan int)
		res := Run(Config{Bubble: bubble(t), Entry: EntryTest, Chooser: FirstEnabled(), Record: true, values: values, Main: func() {
			Go(1, func() {
				Lock(2, &mu)
				To(c).Send(3, 1)
				Unlock(4, &mu)
			})
			Recv(5, c)
			Lock(6, &mu)
			Unlock(7, &mu)
			Sleep(8, time.Second)
		}})
		require.Equal(t, Completed, res.Verdict, res.String())
		var got []string
		for _, step := range res.Waited {
			got = append(got, res.Trace[step-1].Site)
		}
		if values {
			require.Equal(t, []string{"#5", "#6", "#8"}, got)
		} else {
			require.Empty(t, got)
		}
	}
}
