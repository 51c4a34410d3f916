package p

import "testing"

func TestProgram(t *testing.T) {
	c := make(chan int)
	defer close(c)
	go func() {
		<-c
	}()
	if cap(c) == 0 {
		t.Fatal("stop") // want "test failure"
	}
	<-c
}
