package p

import (
	"testing"
	"time"
)

func TestProgram(t *testing.T) {
	c := make(chan int, 1)
	go func() {
		time.Sleep(time.Second)
		c <- 1
	}()
	select {
	case <-c:
	case <-time.After(time.Millisecond):
	}
}
