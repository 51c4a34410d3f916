package testfailurefirst

import "testing"

// The test fails before another goroutine panics, or the other way round.
func TestProgram(t *testing.T) {
	out, quit := make(chan int, 1), make(chan int)
	go func() {
		<-quit
		out <- 1 // want "send on closed channel"
	}()
	close(quit)
	close(out)
	n := 0
	for v := range out {
		n += v
	}
	if n != 1 {
		t.Fatal("nothing came") // want "test failure"
	}
}
