package orcutil

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestStalls: that time has passed while a goroutine could go on is recorded, whether
// it goes on then or is left where it stood.
func TestStalls(t *testing.T) {
	for name, left := range map[string][]string{
		"goes on": {"0", "0.1", "0", TimeStep, "0.1"},
		"is left": {"0", "0.1", "0", TimeStep, "0"},
	} {
		t.Run(name, func(t *testing.T) {
			c := &inTurn{left: left}
			res := Run(Config{Bubble: bubble(t), Chooser: c, Main: func() {
				Go(1, func() { Access(3) })
				Sleep(2, time.Hour)
				Access(4)
			}})
			require.Empty(t, c.left, "%s", res)
			require.Equal(t, []Stall{{"0.1", Site(3).key(), time.Hour}}, res.Stalls)
			require.Equal(t, time.Hour, res.VirtualTime)
		})
	}
	res := Run(Config{Bubble: bubble(t), Main: func() {
		Go(1, func() { Access(3) })
		Sleep(2, time.Hour)
		Access(4)
	}})
	require.Empty(t, res.Stalls, "everybody has had his turn before")
}
