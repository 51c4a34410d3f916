package main

import "time"

// Each iteration has a timer of its own, so that the poller never rests.
func poll(out chan<- int) {
	for {
		select {
		case <-time.After(time.Second):
		}
	}
}

func main() {
	out := make(chan int)
	go poll(out)
	<-out // want "partial deadlock" // unconfirmed "the others never rest, so no run shows that it lasts"
}
