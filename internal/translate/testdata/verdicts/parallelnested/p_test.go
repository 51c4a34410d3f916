package p

import "testing"

// A parallel subtest waits for its own parallel subtests when it has returned.
func TestProgram(t *testing.T) {
	for range 2 {
		t.Run("outer", func(t *testing.T) {
			t.Parallel()
			c := make(chan int, 1)
			defer func() { c <- 1 }()
			t.Cleanup(func() { c <- 2 })
			t.Run("inner", func(t *testing.T) {
				t.Parallel()
				<-c
			})
		})
	}
}
