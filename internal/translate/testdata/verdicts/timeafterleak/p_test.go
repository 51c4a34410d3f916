package p

import (
	"testing"
	"time"
)

func TestProgram(t *testing.T) {
	c := make(chan int)
	go func() {
		time.Sleep(time.Second)
		c <- 1 // want "goroutine leak"
	}()
	select {
	case <-c:
	case <-time.After(time.Millisecond):
	}
}
