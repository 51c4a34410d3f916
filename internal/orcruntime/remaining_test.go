//go:build go1.25

package orcruntime

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// parentContext is a context that package context does not know the inside of: each of its children has a
// goroutine that waits for it.
type parentContext struct {
	context.Context
	done chan struct{}
}

func (c parentContext) Done() <-chan struct{} { return c.done }

// forget does not call what cancels a context.
func forget(context.Context, context.CancelFunc) {}

// TestRemaining: goroutines that libraries have started are named if a test that ends well leaves them
// behind, and only then.
func TestRemaining(t *testing.T) {
	const watcher = "context.(*cancelCtx).propagateCancel.func2, started by context.(*cancelCtx).propagateCancel"
	parent := func() context.Context { return parentContext{context.Background(), make(chan struct{})} }
	// library starts a goroutine that no run controls.
	library := func(f func()) { inLibrary(func() { go f() }) }
	const started = ", started by github.com/vtrace/vtrace/internal/orcruntime.TestRemaining."
	for name, p := range map[string]struct {
		main func()
		want []string // the beginnings of names
	}{
		"a context that nobody cancels": {func() {
			inLibrary(func() { forget(context.WithCancel(parent())) })
		}, []string{watcher}},
		"two of them": {func() {
			inLibrary(func() { forget(context.WithCancel(parent())); forget(context.WithCancel(parent())) })
		}, []string{watcher}},
		"one that is cancelled": {func() {
			inLibrary(func() {
				_, cancel := context.WithCancel(parent())
				cancel()
			})
		}, nil},
		"one that is cancelled at once, by time": {func() {
			inLibrary(func() { forget(context.WithTimeout(parent(), time.Second)) })
		}, nil},
		"one that is cancelled an hour later": {func() {
			inLibrary(func() { forget(context.WithTimeout(parent(), time.Hour)) })
		}, []string{watcher}},
		"one beside a timer of the program, which has not come": {func() {
			time.AfterFunc(Due(1, time.Second), Callback(2, func() { Recv(3, make(chan int)) }))
			inLibrary(func() { forget(context.WithCancel(parent())) })
		}, []string{watcher}},
		"a ticker": {func() {
			library(func() {
				for range time.Tick(time.Millisecond) {
				}
			})
		}, []string{"github.com/vtrace/vtrace/internal/orcruntime.TestRemaining."}},
		"one that sleeps":    {func() { library(func() { time.Sleep(time.Second) }) }, nil},
		"one that has ended": {func() { library(func() {}) }, nil},
		"none":               {func() {}, nil},
		"one that ends in what a leak calls when it is ended": {func() {
			Go(1, func() {
				_, cancel := context.WithCancel(parent())
				defer cancel()
				Recv(2, make(chan int))
			})
		}, nil}, // the leak is what the test ends in
	} {
		t.Run(name, func(t *testing.T) {
			res := Run(Config{Bubble: bubble(t), Entry: EntryTest, EndSite: endSite, Chooser: FirstEnabled(), Main: p.main, Watchdog: 10 * time.Second})
			require.Equal(t, Completed, res.Verdict, "%s", res)
			require.Len(t, res.Remaining, len(p.want), "%v", res.Remaining)
			for i, want := range p.want {
				require.Contains(t, res.Remaining[i], want)
				if want != watcher {
					require.Contains(t, res.Remaining[i], started)
				}
			}
			// Of main nobody expects otherwise.
			res = Run(Config{Bubble: bubble(t), Chooser: FirstEnabled(), Main: p.main, Watchdog: 10 * time.Second})
			require.Empty(t, res.Remaining)
		})
	}
}
