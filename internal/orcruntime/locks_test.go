package orcruntime

import (
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLocks runs goroutines that take and release locks properly, under random
// choices: nobody is inside with whom he must not be, and nobody is left
// waiting.
func TestLocks(t *testing.T) {
	for seed := range 600 {
		r := random(seed)
		kinds := make([][]int, 2+r.next(4))
		for i := range kinds {
			for range 1 + r.next(4) {
				kinds[i] = append(kinds[i], r.next(6))
			}
		}
		var m sync.Mutex
		var rw sync.RWMutex
		holders := map[string]int{}
		inside := func(who string, site Site) {
			holders[who]++
			Access(site)
			require.LessOrEqual(t, holders["mutex"], 1)
			require.LessOrEqual(t, holders["writer"], 1)
			require.True(t, holders["writer"] == 0 || holders["reader"] == 0, "%v", holders)
			Access(site)
			holders[who]--
		}
		res := Run(Config{Bubble: bubble(t), Entry: EntryTest, Chooser: Random(uint64(seed)), Main: func() {
			m, rw = sync.Mutex{}, sync.RWMutex{}
			for _, list := range kinds {
				Go(1, func() {
					for _, k := range list {
						switch k {
						case 0:
							Lock(2, &m)
							inside("mutex", 3)
							Unlock(4, &m)
						case 1:
							if TryLock(5, &m) {
								inside("mutex", 3)
								Unlock(4, &m)
							}
						case 2:
							WLock(6, &rw)
							inside("writer", 7)
							WUnlock(8, &rw)
						case 3:
							if TryWLock(9, &rw) {
								inside("writer", 7)
								WUnlock(8, &rw)
							}
						case 4:
							LockIface(10, rw.RLocker())
							inside("reader", 11)
							RUnlock(12, &rw)
						case 5:
							if TryRLock(13, &rw) {
								inside("reader", 11)
								UnlockIface(12, rw.RLocker())
							}
						}
					}
				})
			}
		}})
		require.Equal(t, Completed, res.Verdict, "seed %d\n%s", seed, res)
		require.Empty(t, res.Outcome.Kind, "seed %d\n%s", seed, res)
		require.True(t, m.TryLock() && rw.TryLock(), "seed %d: a lock is left held", seed)
	}
}

// inTurn is a Chooser that gives goroutines their turns, by their paths, as far as
// they are ready, with TimeStep to time, and then to whoever is.
type inTurn struct{ left []string }

func (c *inTurn) Next(v View) Choice {
	switch {
	case len(v.Ready) == 0:
		return Choice{Index: TimePasses}
	case len(c.left) == 0:
		return Choice{}
	case c.left[0] == TimeStep:
		c.left = c.left[1:]
		return Choice{Index: TimePasses}
	}
	i := slices.IndexFunc(v.Ready, func(p Parked) bool { return p.G == c.left[0] })
	if i < 0 {
		return Choice{Index: Stop}
	}
	c.left = c.left[1:]
	return Choice{Index: i}
}

// TestUnlockWakes: who waits for a lock can be the next to go on when it is free, with
// everybody else ready to.
func TestUnlockWakes(t *testing.T) {
	var m sync.Mutex
	var rw sync.RWMutex
	read := func() { RLock(2, &rw) }
	write := func() { WLock(2, &rw) }
	for name, ops := range map[string]struct{ lock, unlock, other func() }{
		"mutex":               {func() { Lock(2, &m) }, func() { Unlock(4, &m) }, func() { Lock(2, &m) }},
		"reader after writer": {write, func() { WUnlock(4, &rw) }, read},
		"writer after writer": {write, func() { WUnlock(4, &rw) }, write},
		"writer after reader": {read, func() { RUnlock(4, &rw) }, write},
	} {
		t.Run(name, func(t *testing.T) {
			m, rw = sync.Mutex{}, sync.RWMutex{}
			// The other starts, queues, and goes on.
			c := &inTurn{left: []string{"0", "0", "0.1", "0.1", "0", "0.1"}}
			res := Run(Config{Bubble: bubble(t), Chooser: c, Main: func() {
				ops.lock()
				Go(1, func() {
					ops.other()
					Access(3)
				})
				ops.unlock()
				Access(5)
			}})
			require.Empty(t, c.left, "%s", res)
			require.Empty(t, res.Outcome.Kind, "%s", res)
		})
	}
}

// TestUnlockErrors: every way to unlock what is not locked is found before the
// runtime ends the process, and cannot be recovered.
func TestUnlockErrors(t *testing.T) {
	var m sync.Mutex
	var rw sync.RWMutex
	for text, f := range map[string]func(){
		"sync: unlock of unlocked mutex":           func() { Unlock(2, &m) },
		"sync: Unlock of unlocked RWMutex":         func() { WUnlock(2, &rw) },
		"sync: RUnlock of unlocked RWMutex":        func() { RUnlock(2, &rw) },
		"sync: Unlock of unlocked RWMutex ":        func() { RLock(1, &rw); WUnlock(2, &rw) },
		"sync: RUnlock of unlocked RWMutex ":       func() { WLock(1, &rw); RUnlock(2, &rw) },
		"sync: unlock of unlocked mutex (by Wait)": func() { CondWait(2, sync.NewCond(&m)) },
	} {
		m, rw = sync.Mutex{}, sync.RWMutex{}
		res := Run(Config{Bubble: bubble(t), Plan: Plan{Expect: Expect{KindUnlockUnlocked, stuck("0 #2")}}, Main: func() {
			defer func() { require.Nil(t, recover()) }()
			f()
		}})
		require.Equal(t, Reproduced, res.Verdict, "%s", res)
		require.Contains(t, "fatal error: "+text, res.Outcome.Message)
		require.Equal(t, "ended the program in", res.Goroutines[0].State)
	}
}

// TestMany: thousands of goroutines are no trouble.
func TestMany(t *testing.T) {
	sum := 0
	res := Run(Config{Bubble: bubble(t), Main: func() {
		var wg sync.WaitGroup
		var m sync.Mutex
		c := make(chan int)
		for range 1000 {
			WGGo(1, &wg, func() {
				v := Recv(2, c)
				Lock(3, &m)
				sum += v
				Unlock(4, &m)
			})
		}
		for i := range 1000 {
			To(c).Send(5, i)
		}
		Wait(6, &wg)
	}})
	require.Equal(t, Completed, res.Verdict, "%s", res)
	require.Empty(t, res.Outcome.Kind)
	require.Equal(t, 1000*999/2, sum)
}

// TestReaderWaits: who waits by RLocker waits to read.
func TestReaderWaits(t *testing.T) {
	for _, p := range []struct {
		locker func(m *sync.RWMutex) sync.Locker
		op     string
	}{{(*sync.RWMutex).RLocker, "read lock"}, {func(m *sync.RWMutex) sync.Locker { return m }, "lock"}} {
		res := Run(Config{Bubble: bubble(t), Main: func() {
			var m sync.RWMutex
			WLock(1, &m)
			LockIface(2, p.locker(&m))
		}})
		require.Equal(t, KindDeadlock, res.Outcome.Kind)
		require.Equal(t, p.op, res.Goroutines[0].Op)
	}
}
