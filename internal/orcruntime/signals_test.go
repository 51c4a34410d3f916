//go:build go1.25

package orcruntime

import (
	"context"
	"os"
	"os/signal"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSignals: no signal comes in a run, so that what waits for one is stuck,
// which is no proof; after Stop it is.
func TestSignals(t *testing.T) {
	for name, c := range map[string]struct {
		main func()
		weak int
	}{
		"channel": {func() {
			c := make(chan os.Signal, 1)
			NotifySignals(signal.Notify)(c, os.Interrupt)
			Recv(1, c)
		}, 1},
		"stopped": {func() {
			c := make(chan os.Signal, 1)
			NotifySignals(signal.Notify)(c, os.Interrupt)
			StopSignals(signal.Stop)(c)
			Recv(1, c)
		}, 0},
		"context": {func() {
			ctx, _ := SignalContext(signal.NotifyContext)(context.Background(), os.Interrupt)
			Recv(1, ctx.Done())
		}, 1},
		"context stopped": {func() {
			ctx, stop := SignalContext(signal.NotifyContext)(context.Background(), os.Interrupt)
			stop()
			Recv(1, ctx.Done())
			Recv(2, make(chan int))
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			res := Run(Config{Bubble: bubble(t), Main: c.main})
			require.Equal(t, KindDeadlock, res.Outcome.Kind, "%s", res)
			require.Len(t, res.Weaknesses, c.weak, "%s", res)
		})
	}
}
