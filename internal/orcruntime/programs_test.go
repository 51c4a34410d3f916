package orcruntime

import (
	"context"
	"errors"
	"math/rand/v2"
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

// inLong skips a test in the short form of the suite, which is for the race detector: what the
// test shows is in the schedules and their figures, and its runs have no goroutines that those of
// TestDeterminism, TestEdges, TestExplore, TestExhaustPrograms and TestExhaustRandom have not.
func inLong(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("has no goroutines that other tests have not")
	}
}

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
		ctx, cancel := context.WithTimeout(context.Background(), Due(1, time.Second))
		defer cancel()
		res := make(chan int)
		Go(1, func() {
			Sleep(2, 500*time.Millisecond)
			To(res).Send(3, 1)
		})
		time.AfterFunc(Due(1, 700*time.Millisecond), Callback(4, func() { Access(5) }))
		r, d, a := R(res), R(ctx.Done()), R(time.After(Due(1, 600*time.Millisecond)))
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
		tick := NewTicker(1, time.Second)
		stop := make(chan struct{})
		Go(1, func() {
			Sleep(2, 3500*time.Millisecond)
			Close(3, stop)
		})
		for n := 0; ; n++ {
			s, k := R(stop), R(tick.C)
			if Select(4, false, s, k) == 0 {
				Ticker(1, tick).Stop()
				return
			}
		}
	}, []string{""}},

	{"polling for what a ticker does", EntryMain, func() {
		tick := NewTicker(1, time.Second)
		var mu sync.Mutex
		n := 0
		Go(1, func() {
			for range 3 {
				Recv(2, tick.C)
				Lock(3, &mu)
				n++
				Unlock(4, &mu)
			}
			Ticker(1, tick).Stop()
		})
		for done := false; !done; {
			Lock(5, &mu)
			done = n == 3
			Unlock(6, &mu)
		}
	}, []string{""}},

	{"a ticker stopped", EntryMain, func() {
		tick := NewTicker(1, time.Second)
		Go(1, func() {
			for {
				Recv(2, tick.C)
			}
		})
		Sleep(3, 2*time.Second)
		Ticker(1, tick).Stop()
		Recv(4, make(chan int))
	}, []string{KindDeadlock}},

	{"a ticker stopped by uninstrumented code", EntryMain, func() {
		tick := NewTicker(1, time.Second)
		Go(1, func() {
			for {
				Recv(2, tick.C)
			}
		})
		Sleep(3, 2*time.Second)
		tick.Stop()
		Recv(4, make(chan int))
	}, []string{KindDeadlock}},

	{"a timer stopped after it has fired", EntryMain, func() {
		t := time.NewTimer(Due(1, time.Second))
		got := false
		Go(1, func() { Recv(2, t.C); got = true })
		Sleep(3, 2*time.Second)
		stopped := Timer(1, t).Stop()
		Sleep(4, time.Second)
		if stopped == got {
			panic("a value of a stopped timer")
		}
	}, []string{""}},

	{"a timer reset after it has fired", EntryMain, func() {
		t := time.NewTimer(Due(1, time.Second))
		start := time.Now()
		var got []time.Duration
		Go(1, func() {
			for {
				got = append(got, Recv(2, t.C).Sub(start))
			}
		})
		Sleep(3, 2*time.Second)
		pending := Timer(1, t).Reset(3 * time.Second)
		n := len(got)
		at := time.Since(start) + 3*time.Second
		Sleep(4, 10*time.Second)
		for _, d := range got[n:] {
			if d != at {
				panic("a value from before the reset")
			}
		}
		if pending != (n == 0) {
			panic("the result of Reset")
		}
	}, []string{""}},

	{"a ticker stopped after it has ticked", EntryMain, func() {
		a, b := NewTicker(1, time.Second), NewTicker(1, time.Second)
		Go(1, func() {
			Select(2, false, R(a.C), R(b.C))
			Ticker(1, a).Stop()
			Ticker(1, b).Stop()
			Select(3, false, R(a.C), R(b.C))
			panic("a tick of a stopped ticker")
		})
		Sleep(4, 5*time.Second)
	}, []string{""}},

	{"a ticker reset", EntryMain, func() {
		tick := NewTicker(1, time.Hour)
		stopped := make(chan bool)
		Go(1, func() {
			Ticker(1, tick).Reset(time.Millisecond)
			for range 3 {
				Recv(2, tick.C)
			}
			Ticker(1, tick).Stop()
			Close(3, stopped)
		})
		Recv(4, stopped)
	}, []string{""}},

	{"package-level channel and WaitGroup", EntryMain, func() {
		WGGo(1, &packageGroup, func() { To(packageChan).Send(2, len(packageLog)) })
		WGGo(3, &packageGroup, func() { To(packageChan).Send(4, 10) })
		a := Recv(5, packageChan)
		packageLog = append(packageLog, a)
		b := Recv(6, packageChan)
		Wait(7, &packageGroup)
		if a > b {
			panic(Panic(8, "the second was first"))
		}
	}, []string{"", KindPanic}},

	{"broadcast over a read lock", EntryMain, func() {
		var m sync.RWMutex
		var wg sync.WaitGroup
		c := sync.NewCond(m.RLocker())
		open := false
		for range 2 {
			WGGo(1, &wg, func() {
				LockIface(2, c.L)
				defer UnlockIface(3, c.L)
				for !open {
					CondWait(4, c)
				}
			})
		}
		WLock(5, &m)
		open = true
		WUnlock(6, &m)
		CondBroadcast(7, c)
		Wait(8, &wg)
	}, []string{""}},

	{"an exit before a panic, and behind it", EntryMain, func() {
		done := make(chan bool)
		Go(1, func() { Exit(2, 0) })
		Go(3, func() { panic(Panic(4, "the other one")) })
		Recv(5, done)
	}, []string{"", KindPanic}},

	// The signal may come between the release of the lock and the wait, since the lock has
	// guards of its own behind it.
	{"a condition over a lock of the program's", EntryMain, func() {
		l := &loggedLock{log: make(chan int, 8)}
		c := sync.NewCond(l)
		ready := false
		Go(1, func() {
			LockIface(2, c.L)
			ready = true
			CondSignal(3, c)
			UnlockIface(4, c.L)
		})
		LockIface(5, c.L)
		for !ready {
			CondWait(6, c)
		}
		UnlockIface(7, c.L)
	}, []string{""}},

	{"readers, writers and a try", EntryTest, func() {
		var m sync.RWMutex
		var wg sync.WaitGroup
		n := 0
		for i := range 3 {
			WGGo(1, &wg, func() {
				if i == 0 && !TryWLock(2, &m) {
					RLock(3, &m)
					RUnlock(4, &m)
					return
				} else if i != 0 {
					WLock(5, &m)
				}
				n++
				WUnlock(6, &m)
			})
		}
		if TryRLock(7, &m) {
			RUnlock(8, &m)
		}
		Wait(9, &wg)
	}, []string{""}},

	// The parent is no context of the standard library, so that context starts
	// a goroutine that waits for it, and calls back.
	{"goroutines of package context", EntryTest, func() {
		parent := ownContext{context.Background(), make(chan struct{})}
		ctx, cancel := context.WithCancelCause(parent)
		defer cancel(nil)
		called := make(chan int, 1)
		stop := context.AfterFunc(ctx, Callback(1, func() { To(called).Send(2, 1) }))
		Go(3, func() { Close(4, parent.done) })
		t, d := R(time.After(Due(1, time.Second))), R(ctx.Done())
		if Select(5, false, t, d) == 0 && stop() {
			return
		}
		Recv(6, called)
	}, []string{""}},

	{"panic through deferred operations, recovered or not", EntryMain, func() {
		var m sync.Mutex
		res := make(chan any)
		Go(1, func() {
			defer func() { To(res).Send(2, recover()) }()
			Lock(3, &m)
			defer Unlock(4, &m)
			panic(Panic(5, errors.New("recovered")))
		})
		Go(6, func() {
			defer Unlock(9, &m)
			Lock(7, &m)
			if Select(8, true, R(res)) == 0 {
				none["x"]++
			}
		})
		Recv(10, res)
	}, []string{"", KindPanic}},

	{"callbacks at one instant", EntryTest, func() {
		var order []int
		var wg sync.WaitGroup
		Add(1, &wg, 4)
		for i := range 4 {
			time.AfterFunc(Due(1, time.Second), Callback(2, func() {
				Access(3)
				order = append(order, i)
				Done(4, &wg)
			}))
		}
		Wait(5, &wg)
		if order[0] == 3 && order[1] == 1 {
			panic(Panic(6, order))
		}
	}, []string{"", KindPanic}},

	{"parallel subtests in a group", EntryTest, func() {
		var mu, nu sync.Mutex
		last := 0
		Cleanup(nil, func() { Access(1) })
		Subtest(10, func() {
			for i := range 3 {
				Subtest(20, func() {
					Cleanup(nil, func() { Lock(2, &mu); last = i; Unlock(3, &mu) })
					Parallel(21, nil)
					first, second := &mu, &nu
					if i == 2 {
						first, second = second, first
					}
					Lock(4, first)
					Lock(5, second)
					Unlock(6, second)
					Unlock(7, first)
				})
			}
		})
		if last == 1 {
			panic(Panic(8, "last"))
		}
	}, []string{"", KindPanic, KindDeadlock}},

	{"jobs of a map in an order of its own", EntryMain, func() {
		var wg sync.WaitGroup
		var mu sync.Mutex
		order := ""
		for r := RangeMap(1, map[string]int{"a": 1, "b": 2, "c": 3}, true); r.Next(); {
			k := r.K
			Add(2, &wg, 1)
			Go(3, func() {
				Lock(4, &mu)
				order += k
				Unlock(5, &mu)
				Done(6, &wg)
			})
		}
		Wait(7, &wg)
		if order == "cab" || order == "bca" {
			panic(Panic(8, order))
		}
	}, []string{"", KindPanic}},

	{"locks in an order by chance", EntryMain, func() {
		locks := [3]sync.Mutex{}
		var wg sync.WaitGroup
		for range 3 {
			Add(1, &wg, 1)
			Go(2, func() {
				i, _ := Choose(3, 3)
				j := rand.New(Entropy(4)).IntN(3)
				Lock(5, &locks[i])
				if int(i) != j {
					Lock(6, &locks[j])
					Unlock(7, &locks[j])
				}
				Unlock(8, &locks[i])
				Done(9, &wg)
			})
		}
		Wait(10, &wg)
	}, []string{"", KindDeadlock}},

	{"a pool whose values come back in use", EntryMain, func() {
		var pool sync.Pool
		done := make(chan bool)
		for range 2 {
			Go(1, func() {
				c, ok := Pool(2, &pool).Get().(chan int)
				if !ok {
					c = make(chan int, 1)
				}
				Pool(3, &pool).Put(c)
				To(c).Send(4, 1)
				To(done).Send(5, true)
			})
		}
		Recv(6, done)
		Recv(7, done)
	}, []string{"", KindDeadlock}},

	{"keys that are channels", EntryMain, func() {
		subscribers := map[chan int]bool{}
		a, b := make(chan int), make(chan int)
		subscribers[Keyed(a)], subscribers[Keyed(b)] = true, true
		Go(1, func() {
			Recv(2, a)
			Recv(3, b)
		})
		for r := RangeMap(4, subscribers, false); r.Next(); {
			To(r.K).Send(5, 1)
		}
	}, []string{"", KindDeadlock}},

	{"a sleep of random length", EntryMain, func() {
		c := make(chan int, 2)
		for i := range 2 {
			Go(1, func() {
				Sleep(2, time.Duration(rand.New(Entropy(3)).Int64N(int64(time.Second))))
				To(c).Send(4, i)
			})
		}
		if Recv(5, c) == 1 {
			Close(6, c)
		}
		Recv(7, c)
	}, []string{"", KindSendOnClosed}},
}

// What RegisterInit makes anew for every run: used between two runs, or by
// both, it would show.
var (
	packageChan  chan int
	packageGroup sync.WaitGroup
	packageLog   []int
)

func init() {
	RegisterInit("orcruntime.test", 1, func() {
		packageChan, packageGroup, packageLog = make(chan int), sync.WaitGroup{}, nil
	})
}

var none map[string]int

type ownContext struct {
	context.Context
	done chan struct{}
}

func (c ownContext) Done() <-chan struct{} { return c.done }

func (c ownContext) Err() error {
	select {
	case <-c.done:
		return context.Canceled
	default:
		return nil
	}
}

// loggedLock does more than one operation when it is locked and unlocked.
type loggedLock struct {
	mu  sync.Mutex
	log chan int
}

func (l *loggedLock) Lock() {
	Lock(40, &l.mu)
	To(l.log).Send(41, 1)
}

func (l *loggedLock) Unlock() {
	Unlock(42, &l.mu)
	To(l.log).Send(43, 2)
}
