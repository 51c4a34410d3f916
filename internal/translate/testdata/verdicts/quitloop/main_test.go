package quitloop

import "testing"

// The break leaves the select, not the loop: once quit is closed, the goroutine
// goes round for ever.
func run(c chan int, quit chan struct{}) {
	for n := 0; ; n++ {
		select { // want "goroutine leak" // unconfirmed "it never rests, so no run shows that it lasts"
		case c <- n:
		case <-quit:
			break
		}
	}
}

func TestProgram(t *testing.T) {
	c, quit := make(chan int), make(chan struct{})
	go run(c, quit)
	<-c
	close(quit)
}
