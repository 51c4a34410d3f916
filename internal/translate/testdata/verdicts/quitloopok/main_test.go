package quitloopok

import "testing"

// The goroutine ends once quit is closed.
func run(c chan int, quit chan struct{}) {
	for n := 0; ; n++ {
		select {
		case c <- n:
		case <-quit:
			return
		}
	}
}

func TestProgram(t *testing.T) {
	c, quit := make(chan int), make(chan struct{})
	go run(c, quit)
	<-c
	close(quit)
}
