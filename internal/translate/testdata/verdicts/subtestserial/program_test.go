package subtestserial

import (
	"os"
	"sync"
	"testing"
)

// A subtest is run by a test that has started a goroutine, or has not: what it counts is not known in the first case.
func TestSerial(t *testing.T) {
	var mu sync.Mutex
	n := 0
	if len(os.Args) > 100 {
		go func() {
			mu.Lock()
			n++
			mu.Unlock()
		}()
	}
	t.Run("sub", func(t *testing.T) {
		t.Parallel()
		for range 3 {
			mu.Lock()
			n++
			mu.Unlock()
		}
		mu.Lock()
		if n > 3 {
			t.Error("another one has counted") // want "test failure"
		}
		mu.Unlock()
	})
}
