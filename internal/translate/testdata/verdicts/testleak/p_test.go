package p

import "testing"

func TestProgram(t *testing.T) {
	c := make(chan int)
	go func() {
		c <- 1 // want "goroutine leak"
	}()
}
