package orcruntime

import (
	"iter"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// pull is what instrumented programs have in place of iter.Pull.
func pull[V any](seq iter.Seq[V]) (func() (V, bool), func()) {
	c := NewCoroutine()
	next, stop := iter.Pull(func(yield func(V) bool) {
		c.Resumed()
		seq(func(v V) bool {
			more := yield(v)
			c.Resumed()
			return more
		})
	})
	c.Stops(stop)
	return func() (v V, more bool) {
			defer c.Left(c.Resume(), &more)
			return next()
		}, func() {
			if c.Stoppable() {
				defer c.Left(c.Resume(), new(bool))
				stop()
			}
		}
}

// lockedFor is an iterator with a lock around each value, and around its end.
func lockedFor(m *sync.Mutex, n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		defer func() {
			Lock(1, m)
			Unlock(2, m)
		}()
		for i := range n {
			Lock(3, m)
			Unlock(4, m)
			if !yield(i) {
				return
			}
		}
	}
}

// TestCoroutine: what an iterator does is done by whoever asks it for values, also if that is
// somebody else each time, under every schedule, in a bubble and without.
func TestCoroutine(t *testing.T) {
	for seed := range 200 {
		var of Bubble
		if seed%2 == 0 {
			of = bubble(t)
		}
		var m, turn sync.Mutex
		var got []int
		res := Run(Config{Bubble: of, Entry: EntryTest, Chooser: Random(uint64(seed)), Main: func() {
			m, turn, got = sync.Mutex{}, sync.Mutex{}, nil
			next, stop := pull(lockedFor(&m, 4))
			for range 2 {
				Go(5, func() {
					for range 2 {
						Lock(6, &turn)
						v, ok := next()
						if ok {
							got = append(got, v)
						}
						Unlock(7, &turn)
					}
				})
			}
			Lock(8, &m)
			Unlock(9, &m)
			Lock(6, &turn)
			stop()
			Unlock(7, &turn)
		}})
		require.Equal(t, Completed, res.Verdict, "seed %d\n%s", seed, res)
		require.Empty(t, res.Outcome.Kind, "seed %d\n%s", seed, res)
		require.Empty(t, res.Notes, "seed %d", seed)
		for i, v := range got {
			require.Equal(t, i, v, "seed %d", seed)
		}
	}
}

// TestCoroutinesLeft: a run ends the iterators that nobody has stopped: one between two values,
// one that was never asked, and one that waits for a lock. What they have deferred ends at its
// first operation.
func TestCoroutinesLeft(t *testing.T) {
	before := runtime.NumGoroutine()
	for i := range 50 {
		var m sync.Mutex
		res := Run(Config{Bubble: bubble(t), Entry: EntryTest, Chooser: Random(uint64(i)), Main: func() {
			m = sync.Mutex{}
			next, _ := pull(lockedFor(&m, 2))
			_, ok := next()
			require.True(t, ok)
			require.Equal(t, 2, Goroutines(0).Count())
			_, _ = pull(lockedFor(&m, 2))
			Go(5, func() {
				next, _ := pull(lockedFor(&m, 2))
				next()
			})
			Lock(6, &m)
		}})
		require.Equal(t, Completed, res.Verdict, res)
		require.Empty(t, res.Notes)
	}
	for i := 0; i < 1e6 && runtime.NumGoroutine() > before; i++ {
		runtime.Gosched()
	}
	require.LessOrEqual(t, runtime.NumGoroutine(), before)
}

// TestCoroutineMisused: a function of iter.Pull that is called while the iterator runs.
func TestCoroutineMisused(t *testing.T) {
	res := Run(Config{Bubble: bubble(t), Entry: EntryTest, Chooser: Random(1), Main: func() {
		var next func() (int, bool)
		next, _ = pull(func(func(int) bool) { next() })
		next()
	}})
	require.Equal(t, KindPanic, res.Outcome.Kind, res)
	stopped := 0
	for seed := range 100 {
		var m sync.Mutex
		res := Run(Config{Bubble: bubble(t), Entry: EntryTest, Chooser: Random(uint64(seed)), Main: func() {
			m = sync.Mutex{}
			next, stop := pull(lockedFor(&m, 2))
			Go(5, func() { next() })
			Access(6)
			stop()
		}})
		require.Equal(t, Completed, res.Verdict, res)
		require.Empty(t, res.Outcome.Kind, res)
		if res.Weak {
			stopped++
		}
	}
	require.Positive(t, stopped)
	require.Less(t, stopped, 100)
}
