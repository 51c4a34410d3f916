package p

import "testing"

// Two messages for a buffer of one: the second has to wait for its receiver.
func TestProgram(t *testing.T) {
	t.Run("outer", func(t *testing.T) {
		t.Parallel()
		c := make(chan int, 1)
		t.Cleanup(func() { c <- 2 })
		t.Run("inner", func(t *testing.T) {
			t.Parallel()
			c <- 1
		})
	})
} // want "deadlock"
