package p

import "testing"

// A test that panics does not.
func TestProgram(t *testing.T) {
	c := make(chan int)
	close(c)
	t.Run("sub", func(t *testing.T) {
		t.Parallel()
		c <- 1
	})
	var f func()
	panic(f) // want "panic"
}
