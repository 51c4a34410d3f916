package p

import (
	"sync"
	"testing"
)

// The sum is complete when the subtests have ended, and not before.
func TestProgram(t *testing.T) {
	var mu sync.Mutex
	sum := 0
	t.Cleanup(func() {
		if sum != 3 {
			t.Error("not all are counted")
		}
	})
	for _, k := range []int{1, 2} {
		t.Run("add", func(t *testing.T) {
			t.Parallel()
			mu.Lock()
			defer mu.Unlock()
			sum += k
		})
	}
	if sum == 3 {
		t.Error("all are counted")
	}
}
