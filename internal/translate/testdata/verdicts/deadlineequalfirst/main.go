package main

import "time"

// Of equal durations the one that was armed later may not be over yet.
func main() {
	c := make(chan int, 1)
	first := time.After(time.Second)
	c <- 1
	second := time.After(time.Second)
	<-first
	select {
	case <-second:
	default:
		panic("the first was over first") // want "panic"
	}
}
