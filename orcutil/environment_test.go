//go:build go1.25

package orcutil

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEntropy: each call at a site draws numbers of its own, which follow from the seed of the
// run and the goroutine.
func TestEntropy(t *testing.T) {
	drawn := func(seed uint64) (out []uint64) {
		res := Run(Config{Bubble: bubble(t), Entry: EntryTest, Plan: Plan{Seed: seed}, Chooser: FirstEnabled(), Main: func() {
			draw := func() {
				for range 10 {
					out = append(out, Entropy(1).Uint64())
				}
			}
			c := make(chan int)
			Go(2, func() {
				draw()
				To(c).Send(3, 1)
			})
			Recv(4, c)
			draw()
		}})
		require.Equal(t, Completed, res.Verdict, "%s", res)
		return out
	}
	seen := map[uint64]bool{}
	for seed := range uint64(3) {
		numbers := drawn(seed)
		require.Equal(t, numbers, drawn(seed))
		for _, n := range numbers {
			seen[n] = true
		}
	}
	require.Len(t, seen, 3*2*10)
}
