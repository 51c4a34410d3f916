package testfailurefatal

import "testing"

func TestProgram(t *testing.T) {
	c := make(chan int, 2)
	go func() { c <- 1 }()
	go func() { c <- 2 }()
	if <-c != 1 {
		t.Fatal("out of order") // want "test failure"
	}
	<-c
}
