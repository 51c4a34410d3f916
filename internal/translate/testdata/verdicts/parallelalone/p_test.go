package p

import "testing"

// The first subtest is not parallel: nobody receives what it sends.
func TestProgram(t *testing.T) {
	c := make(chan int)
	t.Run("send", func(t *testing.T) { // want "deadlock"
		c <- 1
		t.Parallel()
	})
	t.Run("receive", func(t *testing.T) { t.Parallel(); <-c })
}
