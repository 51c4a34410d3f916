package p

import "testing"

func TestProgram(t *testing.T) {
	c := make(chan int)
	go func() {
		defer close(c)
		t.Error("from another goroutine") // want "test failure"
	}()
	<-c
}
