package orcutil

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// program is a small program as the instrumenter would write it. Its sites are
// not registered, so that their keys are "#1", "#2" and so on.
type testProgram struct {
	name  string
	entry string
	main  func()
	// outcomes are the kinds of ends that it can have, "" for a good one.
	outcomes []string
}

const endSite = "#99"

func bubble(t testing.TB) Bubble {
	return Bubble{
		Run:  func(f func()) { synctest.Test(t.(*testing.T), func(*testing.T) { f() }) },
		Wait: synctest.Wait,
	}
}

var programs = []testProgram{
	{"unbuffered send and polling select", EntryMain, func() {
		a, b := make(chan int), make(chan int)
		Go(1, func() {
			To(a).Send(2, 1)
			switch r := R(b); Select(3, true, r) {
			case 0:
			default:
			}
		})
		Recv(4, a)
		To(b).Send(5, 2)
	}, []string{"", KindDeadlock}},

	{"two locks in opposite order", EntryMain, func() {
		var x, y sync.Mutex
		var wg sync.WaitGroup
		both := func(site Site, a, b *sync.Mutex) {
			defer Done(site+4, &wg)
			Lock(site, a)
			defer Unlock(site+1, a)
			Lock(site+2, b)
			defer Unlock(site+3, b)
		}
		Add(1, &wg, 2)
		Go(2, func() { both(10, &x, &y) })
		Go(3, func() { both(20, &y, &x) })
		Wait(4, &wg)
	}, []string{"", KindDeadlock}},

	{"recursive read lock and a writer", EntryMain, func() {
		var m sync.RWMutex
		done := make(chan bool)
		Go(1, func() {
			WLock(2, &m)
			WUnlock(3, &m)
			To(done).Send(4, true)
		})
		RLock(5, &m)
		RLock(6, &m)
		RUnlock(7, &m)
		RUnlock(8, &m)
		Recv(9, done)
	}, []string{"", KindDeadlock}},

	{"done before add", EntryMain, func() {
		var wg sync.WaitGroup
		Go(1, func() { Done(2, &wg) })
		Add(3, &wg, 1)
		Wait(4, &wg)
	}, []string{"", KindNegativeCounter}},

	{"send and close", EntryMain, func() {
		c := make(chan int, 1)
		done := make(chan struct{})
		Go(1, func() {
			for range Range(2, c) {
			}
			Close(3, done)
		})
		Go(4, func() { To(c).Send(5, 1) })
		Close(6, c)
		Recv2(7, done)
	}, []string{"", KindSendOnClosed}},

	{"missed signal", EntryMain, func() {
		var m sync.Mutex
		c := sync.NewCond(&m)
		Go(1, func() {
			Lock(2, &m)
			CondSignal(3, c)
			Unlock(4, &m)
		})
		Lock(5, &m)
		CondWait(6, c)
		Unlock(7, &m)
	}, []string{"", KindDeadlock}},

	{"timeout, context and callback", EntryTest, func() {
		ctx, cancel := context.WithTimeout(context.Background(), Due(time.Second))
		defer cancel()
		res := make(chan int)
		Go(1, func() {
			Sleep(2, 500*time.Millisecond)
			To(res).Send(3, 1)
		})
		time.AfterFunc(Due(700*time.Millisecond), Callback(4, func() { Access(5) }))
		r, d, a := R(res), R(ctx.Done()), R(time.After(Due(600*time.Millisecond)))
		switch Select(6, false, r, d, a) {
		case 0:
		case 1:
		case 2:
		}
	}, []string{"", KindLeak}},

	{"broken mutual exclusion", EntryMain, func() {
		var want [2]bool
		inside := 0
		enter := func(i int, site Site) {
			for Access(site) == 0 && want[1-i] {
			}
			Access(site + 1)
			want[i] = true
			Access(site + 2)
			if inside++; inside == 2 {
				panic(Panic(site+3, "both inside"))
			}
			Access(site + 4)
			inside--
			Access(site + 5)
			want[i] = false
		}
		done := make(chan bool, 1)
		Go(1, func() {
			enter(1, 10)
			To(done).Send(2, true)
		})
		enter(0, 20)
		Recv(3, done)
	}, []string{"", KindPanic}},

	{"timers at one instant", EntryTest, func() {
		a, b := time.After(time.Second), time.After(time.Second)
		var got []int
		Go(1, func() {
			Sleep(2, time.Second)
			Access(3)
			got = append(got, 3)
		})
		Go(4, func() {
			Recv(5, b)
			Access(6)
			got = append(got, 2)
		})
		r, q := R(a), R(time.After(time.Second))
		if Select(7, false, r, q) == 1 {
			Recv(8, a)
		}
		Access(9)
		got = append(got, 1)
	}, []string{""}},

	{"double unlock", EntryMain, func() {
		var m sync.Mutex
		Go(1, func() {
			Lock(2, &m)
			Unlock(3, &m)
		})
		Lock(4, &m)
		Unlock(5, &m)
		if !TryLock(6, &m) {
			Unlock(7, &m)
		}
		Unlock(8, &m)
	}, []string{"", KindUnlockUnlocked}},

	{"once, and its function that panics", EntryMain, func() {
		var o sync.Once
		tries := 0
		try := func(site Site) (recovered bool) {
			defer func() { recovered = recover() != nil }()
			OnceDo(site, &o, func() {
				Access(site + 1)
				tries++
				panic(Panic(site+2, "first"))
			})
			return false
		}
		var wg sync.WaitGroup
		WGGo(1, &wg, func() { try(10) })
		WGGo(2, &wg, func() { try(20) })
		Wait(3, &wg)
		if tries != 1 {
			panic("the function of a Once was called again")
		}
	}, []string{""}},

	{"once in itself", EntryMain, func() {
		var o sync.Once
		OnceDo(1, &o, func() { OnceDo(2, &o, func() {}) })
	}, []string{KindDeadlock}},

	{"workers, selects on both sides", EntryTest, func() {
		jobs, results, quit := make(chan int), make(chan int, 2), make(chan struct{})
		for range 2 {
			Go(1, func() {
				for {
					j, q := R(jobs), R(quit)
					if Select(2, false, j, q) == 1 {
						return
					}
					To(results).Send(3, j.V*j.V)
				}
			})
		}
		sum := 0
		for sent, got := 0, 0; got < 3; {
			out := jobs
			if sent == 3 {
				out = nil
			}
			s, r := To(out).Case(sent), R(results)
			switch Select(4, false, s, r) {
			case 0:
				sent++
			case 1:
				sum += r.V
				got++
			}
		}
		if sum != 0+1+4 {
			panic("wrong sum")
		}
		if Select(5, true, R(quit)) == -1 {
			Close(6, quit)
		}
	}, []string{""}},

	{"exit beside a sender", EntryMain, func() {
		c := make(chan int)
		Go(1, func() { Exit(2, 3) })
		Go(3, func() { To(c).Send(4, 1) })
		Recv(5, c)
	}, []string{"", KindExit}},

	{"goexit of main", EntryMain, func() {
		Go(1, func() { Access(2) })
		Goexit(3)
	}, []string{KindDeadlock}},

	{"ticker", EntryMain, func() {
		tick := time.NewTicker(Due(time.Second))
		stop := make(chan struct{})
		Go(1, func() {
			Sleep(2, 3500*time.Millisecond)
			Close(3, stop)
		})
		for n := 0; ; n++ {
			s, k := R(stop), R(tick.C)
			if Select(4, false, s, k) == 0 {
				tick.Stop()
				return
			}
		}
	}, []string{""}},
}
