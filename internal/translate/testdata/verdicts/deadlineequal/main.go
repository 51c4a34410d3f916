package main

import "time"

// Of equal durations the one that was armed first is over when the other one is.
func main() {
	c := make(chan int, 1)
	first := time.After(time.Second)
	c <- 1
	second := time.After(time.Second)
	<-second
	select {
	case <-first:
	default:
		panic("the second was over first")
	}
}
