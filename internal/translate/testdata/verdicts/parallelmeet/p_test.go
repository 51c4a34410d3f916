package p

import "testing"

// Parallel subtests wait for each other, and the others for nobody.
func TestProgram(t *testing.T) {
	c := make(chan int)
	t.Run("send", func(t *testing.T) { t.Parallel(); c <- 1 })
	t.Run("receive", func(t *testing.T) { t.Parallel(); <-c })
	t.Run("group", func(t *testing.T) {
		t.Run("send", func(t *testing.T) { t.Parallel(); c <- 2 })
		t.Run("receive", func(t *testing.T) { t.Parallel(); <-c })
	})
}
