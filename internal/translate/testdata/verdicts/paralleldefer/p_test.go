package p

import "testing"

// What the test defers runs before its parallel subtests go on.
func TestProgram(t *testing.T) {
	jobs := make(chan int, 2)
	defer close(jobs)
	for i := range 2 {
		t.Run("job", func(t *testing.T) {
			t.Parallel()
			jobs <- i // want "send on closed channel"
		})
	}
}
