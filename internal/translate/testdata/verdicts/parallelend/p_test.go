package p

import "testing"

// A test that ends early lets its parallel subtests go on.
func TestProgram(t *testing.T) {
	c := make(chan int)
	t.Cleanup(func() { close(c) })
	t.Run("sub", func(t *testing.T) {
		t.Parallel()
		c <- 1
	})
	t.Run("other", func(t *testing.T) {
		t.Parallel()
		<-c
	})
	t.FailNow() // want "test failure"
}
