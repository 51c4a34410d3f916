package orcruntime

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestLeftByMain: who is stuck for good at a lock, a wait group or a Once when main returns is in a partial deadlock. Who waits at a
// channel goes with main, and so does who would go on in a while.
func TestLeftByMain(t *testing.T) {
	for name, c := range map[string]struct {
		main func()
		kind string
	}{
		"a lock that nobody gives back": {func() {
			var mu sync.Mutex
			Lock(1, &mu)
			Go(2, func() { Lock(3, &mu) })
		}, KindPartialDeadlock},
		"a lock of who waits at a channel": {func() {
			var mu sync.Mutex
			c := make(chan int)
			Go(1, func() {
				Lock(2, &mu)
				To(c).Send(3, 1)
				Unlock(4, &mu)
			})
			Go(5, func() {
				Recv(6, make(chan int))
				Recv(7, c)
			})
			Go(8, func() { Lock(9, &mu) })
			Gosched(10)
		}, KindPartialDeadlock},
		"a wait group": {func() {
			var wg sync.WaitGroup
			Add(1, &wg, 1)
			Go(2, func() { Wait(3, &wg) })
		}, KindPartialDeadlock},
		"channels": {func() {
			c := make(chan int)
			Go(1, func() { Recv(2, c) })
			Go(3, func() { To(make(chan int)).Send(4, 1) })
		}, ""},
		"a lock of who sleeps": {func() {
			var mu sync.Mutex
			Lock(1, &mu)
			Go(2, func() {
				Sleep(3, time.Second)
				Unlock(4, &mu)
			})
			Go(5, func() { Lock(6, &mu) })
		}, ""},
		"a lock that a timer gives back": {func() {
			var mu sync.Mutex
			Lock(1, &mu)
			AfterFunc(2, time.Second, func() { Unlock(3, &mu) })
			Go(4, func() { Lock(5, &mu) })
		}, ""},
		"a lock of who waits for a deadline": {func() {
			var mu sync.Mutex
			Lock(1, &mu)
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			_ = cancel
			Go(2, func() {
				Recv(3, ctx.Done())
				Unlock(4, &mu)
			})
			Go(5, func() { Lock(6, &mu) })
		}, ""},
		"nobody": {func() {}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			o := exhaust(t, Exhaustion{Config: Config{Bubble: bubble(t), Entry: EntryMain, EndSite: endSite, Main: c.main}}, func(res Result) string { return res.Outcome.Kind })
			require.True(t, o.complete)
			require.Equal(t, []string{c.kind}, o.sorted())
		})
	}
}
