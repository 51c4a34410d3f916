package p

import "testing"

// The goroutine of a subtest is left when all subtests have ended.
func TestProgram(t *testing.T) {
	for range 2 {
		t.Run("sub", func(t *testing.T) {
			t.Parallel()
			c := make(chan int)
			go func() {
				c <- 1 // want "goroutine leak"
			}()
		})
	}
}
