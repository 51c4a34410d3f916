package orcruntime

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestLockOutside: a goroutine of uninstrumented code that waits for a lock in an
// instrumented function does not keep those from going on who stand at guards,
// nor time from passing; it gets the lock when it is free, whoever frees it.
func TestLockOutside(t *testing.T) {
	var mu sync.Mutex
	var rw sync.RWMutex
	locks := []struct {
		name                        string
		hold, release, lock, unlock func()
	}{
		{name: "Mutex",
			hold: func() { Lock(1, &mu) }, release: func() { Unlock(2, &mu) },
			lock: func() { Lock(3, &mu) }, unlock: func() { Unlock(4, &mu) }},
		{name: "writer and writer",
			hold: func() { WLock(1, &rw) }, release: func() { WUnlock(2, &rw) },
			lock: func() { WLock(3, &rw) }, unlock: func() { WUnlock(4, &rw) }},
		{name: "readers",
			hold: func() { WLock(1, &rw) }, release: func() { WUnlock(2, &rw) },
			lock: func() { RLock(3, &rw) }, unlock: func() { RUnlock(4, &rw) }},
		{name: "Locker",
			hold: func() { RLock(1, &rw) }, release: func() { RUnlock(2, &rw) },
			lock: func() { LockIface(3, &rw) }, unlock: func() { UnlockIface(4, &rw) }},
		{name: "freed by uninstrumented code",
			hold: func() { Lock(1, &mu) }, release: func() { go mu.Unlock(); Sleep(2, 1) },
			lock: func() { Lock(3, &mu) }, unlock: func() { Unlock(4, &mu) }},
	}
	for _, l := range locks {
		mu, rw = sync.Mutex{}, sync.RWMutex{}
		for seed := range uint64(50) {
			var n, within int
			var passed time.Duration
			res := Run(Config{Bubble: bubble(t), Watchdog: 10 * time.Second, Entry: EntryTest, Chooser: Random(seed), Main: func() {
				start := time.Now()
				done := make(chan int)
				n = 0
				l.hold()
				for range 2 {
					go func() { // as a library would
						l.lock()
						n++
						l.unlock()
						To(done).Send(5, 1)
					}()
				}
				Access(6)
				Sleep(7, time.Second)
				within, passed = n, time.Since(start)
				l.release()
				Recv(8, done)
				Recv(8, done)
			}})
			require.Equal(t, Completed, res.Verdict, "%s: %s", l.name, res)
			require.Empty(t, res.Outcome.Kind, "%s: %s", l.name, res)
			require.True(t, res.Weak)
			require.Zero(t, within, l.name)
			require.Equal(t, 2, n, l.name)
			require.GreaterOrEqual(t, passed, time.Second)
		}
	}
	// Whoever waits when the run is over ends with it.
	mu = sync.Mutex{}
	res := Run(Config{Bubble: bubble(t), Watchdog: 10 * time.Second, Entry: EntryTest, Main: func() {
		Lock(1, &mu)
		go Lock(2, &mu)
		Access(3)
	}})
	require.Equal(t, Completed, res.Verdict, "%s", res)
	require.Empty(t, res.Left, "%s", res)
}
