package p

import "testing"

// Cleanup is called by a deferred call, by a goroutine, and within a cleanup.
func TestProgram(t *testing.T) {
	c, done := make(chan int, 1), make(chan bool)
	defer t.Cleanup(func() { c <- 1 }) // under "cleanup" // missed "deadlock"
	go func() {
		t.Cleanup(func() { <-c }) // under "cleanup"
		done <- true
	}()
	<-done
	c <- 1
}
