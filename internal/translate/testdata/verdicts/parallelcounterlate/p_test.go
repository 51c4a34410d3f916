package p

import (
	"sync"
	"testing"
)

func TestProgram(t *testing.T) {
	var mu sync.Mutex
	sum := 0
	for _, k := range []int{1, 2} {
		t.Run("add", func(t *testing.T) {
			t.Parallel()
			mu.Lock()
			defer mu.Unlock()
			sum += k
		})
	}
	if sum != 3 {
		t.Error("not all are counted") // want "test failure"
	}
}
