package growth

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGrownCapacity: the capacities are those of the runtime.
func TestGrownCapacity(t *testing.T) {
	grows[byte](t, 1, false)
	grows[[3]byte](t, 3, false)
	grows[int32](t, 4, false)
	grows[int64](t, 8, false)
	grows[*int](t, 8, true)
	grows[[12]byte](t, 12, false)
	grows[string](t, 16, true)
	grows[[]int](t, 24, true)
	grows[[5]*int](t, 40, true)
	grows[[100]*int](t, 800, true)
	grows[struct{}](t, 0, false)
}

func grows[T any](t *testing.T, size int64, pointers bool) {
	for capacity := range 600 {
		for _, more := range []int{1, 2, 3, 7, 300} {
			escapes := append(heap[T](capacity), make([]T, more)...)
			require.EqualValues(t, cap(escapes), grownCapacity(int64(capacity+more), int64(capacity), size, pointers), "%d elements of %d bytes behind %d", more, size, capacity)
		}
	}
}

// heap is a slice that is full. No append to it is one to a slice of the stack.
//
//go:noinline
func heap[T any](n int) []T { return make([]T, n) }
