package orcruntime

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestFallThrough: outside a run every operation is the real one.
func TestFallThrough(t *testing.T) {
	one := func() chan int { c := make(chan int, 1); c <- 1; return c }
	closed := make(chan int)
	close(closed)
	tests := map[string]func(t *testing.T){
		"go":    func(t *testing.T) { c := make(chan int); Go(1, func() { c <- 1 }); <-c },
		"send":  func(t *testing.T) { c := make(chan int, 1); To(c).Send(1, 2); require.Equal(t, 2, <-c) },
		"recv":  func(t *testing.T) { require.Equal(t, 1, Recv(1, one())) },
		"recv2": func(t *testing.T) { _, ok := Recv2(1, closed); require.False(t, ok) },
		"range": func(t *testing.T) {
			for range Range(1, closed) {
				t.Fatal("a value")
			}
		},
		"ranger": func(t *testing.T) {
			c := one()
			close(c)
			r := RangeCh(c)
			require.True(t, r.Next(1))
			require.Equal(t, 1, r.V)
			require.False(t, r.Next(1))
		},
		"close":       func(t *testing.T) { c := make(chan int); Close(1, c); <-c },
		"close nil":   func(t *testing.T) { require.PanicsWithError(t, "close of nil channel", func() { Close[int](1, nil) }) },
		"close twice": func(t *testing.T) { require.PanicsWithError(t, "close of closed channel", func() { Close(1, closed) }) },
		"send closed": func(t *testing.T) {
			require.PanicsWithError(t, "send on closed channel", func() { To(closed).Send(1, 1) })
		},
		"select none":   func(t *testing.T) { require.Equal(t, -1, Select(1, true)) },
		"select one":    func(t *testing.T) { r := R(one()); require.Equal(t, 0, Select(1, false, r)); require.Equal(t, 1, r.V) },
		"select poll":   func(t *testing.T) { require.Equal(t, -1, Select(1, true, R(make(chan int)))) },
		"select polled": func(t *testing.T) { require.Equal(t, 0, Select(1, true, R(one()))) },
		"select two": func(t *testing.T) {
			r, s := R(one()), To(make(chan error)).Case(nil)
			require.Equal(t, 0, Select(1, false, r, s))
			require.True(t, r.OK && r.V == 1)
			e := make(chan error, 1)
			e <- nil
			n := R(e)
			require.Equal(t, 1, Select(1, false, R[int](nil), n))
			require.True(t, n.OK && n.V == nil)
			require.Equal(t, -1, Select(1, true, R[int](nil), To[int](nil).Case(1)))
		},
		"mutex": func(t *testing.T) {
			var m sync.Mutex
			Lock(1, &m)
			require.False(t, TryLock(1, &m))
			Unlock(1, &m)
			LockIface(1, &m)
			require.False(t, m.TryLock())
			UnlockIface(1, &m)
		},
		"rwmutex": func(t *testing.T) {
			var m sync.RWMutex
			RLock(1, &m)
			require.True(t, TryRLock(1, &m))
			require.False(t, TryWLock(1, &m))
			RUnlock(1, &m)
			RUnlock(1, &m)
			WLock(1, &m)
			WUnlock(1, &m)
			LockIface(1, m.RLocker())
			UnlockIface(1, m.RLocker())
		},
		"wait group": func(t *testing.T) {
			var wg sync.WaitGroup
			Add(1, &wg, 1)
			Done(1, &wg)
			WGGo(1, &wg, func() {})
			Wait(1, &wg)
			require.PanicsWithValue(t, "sync: negative WaitGroup counter", func() { Done(1, &wg) })
		},
		"once": func(t *testing.T) {
			var o sync.Once
			n := 0
			OnceDo(1, &o, func() { n++ })
			OnceDo(1, &o, func() { n++ })
			require.Equal(t, 1, n)
		},
		"cond": func(t *testing.T) {
			var m sync.Mutex
			c, ready := sync.NewCond(&m), false
			done := make(chan bool)
			Go(1, func() {
				Lock(1, &m)
				for !ready {
					CondWait(1, c)
				}
				Unlock(1, &m)
				close(done)
			})
			Lock(1, &m)
			ready = true
			CondSignal(1, c)
			CondBroadcast(1, c)
			Unlock(1, &m)
			<-done
		},
		"panic":    func(t *testing.T) { require.PanicsWithValue(t, 3, func() { panic(Panic(1, 3)) }) },
		"goexit":   func(t *testing.T) { c := make(chan int); go func() { defer close(c); Goexit(1) }(); <-c },
		"test end": func(t *testing.T) { n := 0; TestEnd(1, func() { n++ }); require.Equal(t, 1, n) },
		"guards":   func(t *testing.T) { require.Zero(t, Access(1)+Line(1)) },
		"callback": func(t *testing.T) { n := 0; Callback(1, func() { n++ })(); require.Equal(t, 1, n) },
		"method": func(t *testing.T) {
			var m sync.Mutex
			Method(&m, func(m *sync.Mutex) { Lock(1, m) })()
			require.False(t, m.TryLock())
		},
		"sleep": func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				Sleep(1, Due(1, time.Hour))
				require.Equal(t, time.Hour, time.Since(start))
			})
		},
	}
	for name, f := range tests {
		t.Run(name, f)
	}
}

func BenchmarkFallThrough(b *testing.B) {
	var m sync.Mutex
	c := make(chan int, 1)
	b.Run("lock and unlock", func(b *testing.B) {
		for b.Loop() {
			Lock(1, &m)
			Unlock(2, &m)
		}
	})
	b.Run("send and receive", func(b *testing.B) {
		for b.Loop() {
			To(c).Send(1, 1)
			Recv(2, c)
		}
	})
	b.Run("access", func(b *testing.B) {
		for b.Loop() {
			Access(1)
		}
	})
}
