package main

import "time"

// A timer that is armed anew for a shorter time may come first.
func main() {
	c := make(chan int, 1)
	first := time.NewTimer(2 * time.Second)
	second := time.NewTimer(3 * time.Second)
	first.Stop()
	c <- 1
	first.Reset(time.Second)
	<-first.C
	select {
	case <-second.C:
	default:
		panic("the first was over first") // want "panic"
	}
}
