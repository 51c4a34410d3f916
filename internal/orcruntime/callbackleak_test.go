package orcruntime

import (
	"context"
	"os"
	"os/signal"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestSignalContext: the context of signal.NotifyContext is done when its parent is, and when
// it is stopped; a signal never comes.
func TestSignalContext(t *testing.T) {
	for name, p := range map[string]struct {
		end  func(stop, cancel func())
		kind string
	}{
		"stopped":         {func(stop, _ func()) { stop() }, ""},
		"stopped twice":   {func(stop, _ func()) { stop(); stop() }, ""},
		"parent canceled": {func(_, cancel func()) { cancel() }, ""},
		"nothing":         {func(_, _ func()) {}, KindDeadlock},
	} {
		t.Run(name, func(t *testing.T) {
			res := Run(Config{Bubble: bubble(t), Chooser: FirstEnabled(), Main: func() {
				parent, cancel := context.WithCancel(context.Background())
				ctx, stop := SignalContext(signal.NotifyContext)(parent, os.Interrupt)
				done := make(chan bool)
				Go(1, func() { Recv(2, ctx.Done()); Close(3, done) })
				m := Lib(4)
				p.end(stop, cancel)
				Back(m)
				if p.kind == KindDeadlock {
					To(make(chan int)).Send(6, 1) // a signal might end what waits for it
				}
				Recv(5, done)
			}})
			require.Equal(t, p.kind, res.Outcome.Kind, "%s", res)
		})
	}
}

// TestCallbackLeaks: the goroutine of a function that a timer calls belongs to the test that has
// set it, as one that the test has started: if it is stuck at the end it is a leak.
func TestCallbackLeaks(t *testing.T) {
	for name, stuck := range map[string]bool{"stuck": true, "ended": false} {
		for how, start := range map[string]func(f func()){
			"go":    func(f func()) { Go(1, f) },
			"timer": func(f func()) { time.AfterFunc(Due(2, time.Second), Callback(3, f)) },
			"timer of a goroutine": func(f func()) {
				Go(1, func() { time.AfterFunc(Due(2, time.Second), Callback(3, f)) })
			},
		} {
			t.Run(how+", "+name, func(t *testing.T) {
				res := Run(Config{Bubble: bubble(t), Entry: EntryTest, EndSite: endSite, Chooser: FirstEnabled(), Main: func() {
					start(func() {
						if stuck {
							Recv(4, make(chan int))
						}
					})
					Sleep(5, 3*time.Second)
				}})
				want := ""
				if stuck {
					want = KindLeak
				}
				require.Equal(t, want, res.Outcome.Kind, "%s", res)
			})
		}
	}
}
