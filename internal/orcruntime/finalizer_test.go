package orcruntime

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFinalizers: what is stuck may be so because finalizers are not called.
func TestFinalizers(t *testing.T) {
	for _, tt := range []struct {
		name string
		main func()
		kind string
		weak bool
	}{
		{"none", func() { stuckBeside(nil) }, KindLeak, false},
		{"set", func() { stuckBeside(func() { require.True(t, Finalized(new(int), func(*int) {})) }) }, KindLeak, true},
		{"set and cleared", func() {
			x := new(int)
			stuckBeside(func() { Finalized(x, func(*int) {}); Finalized(x, nil) })
		}, KindLeak, false},
		{"set, and nothing stuck", func() { Finalized(new(int), func(*int) {}) }, "", false},
		{"set, and a panic", func() {
			Finalized(new(int), func(*int) {})
			panic(Panic(1, "x"))
		}, KindPanic, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res := Run(Config{Bubble: bubble(t), Entry: EntryTest, EndSite: endSite, Main: tt.main})
			require.Equal(t, tt.kind, res.Outcome.Kind, "%s", res)
			require.Equal(t, tt.weak, res.Weak, "%s", res)
			require.Equal(t, tt.weak, len(res.Notes) == 1, "%s", res)
		})
	}
	require.False(t, Finalized(new(int), nil)) // outside a run
}

func stuckBeside(set func()) {
	Go(1, func() { Recv(2, make(chan int)) })
	if set != nil {
		set()
	}
}
