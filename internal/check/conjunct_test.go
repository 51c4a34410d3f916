package check

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/uppaal"
)

// TestComparisons: what the tables say of comparisons is so for numbers.
func TestComparisons(t *testing.T) {
	holds := map[uppaal.Op]func(x, k int) bool{
		uppaal.OpLt: func(x, k int) bool { return x < k },
		uppaal.OpLe: func(x, k int) bool { return x <= k },
		uppaal.OpGt: func(x, k int) bool { return x > k },
		uppaal.OpGe: func(x, k int) bool { return x >= k },
		uppaal.OpEq: func(x, k int) bool { return x == k },
		uppaal.OpNe: func(x, k int) bool { return x != k },
	}
	require.Len(t, complement, len(holds))
	require.Len(t, mirrored, len(holds))
	for op, f := range holds {
		require.Contains(t, holds, complement[op])
		require.Contains(t, holds, mirrored[op])
		for x := -2; x <= 2; x++ {
			for k := -2; k <= 2; k++ {
				require.NotEqual(t, f(x, k), holds[complement[op]](x, k), "%d %s %d", x, op, k)
				require.Equal(t, f(x, k), holds[mirrored[op]](k, x), "%d %s %d", x, op, k)
			}
		}
	}
}
