package main

import "time"

// What is armed later, for a shorter time, may come first or not: who arms it may be
// slow.
func main() {
	c := make(chan int, 1)
	first := time.After(2 * time.Second)
	c <- 1
	second := time.After(time.Second)
	<-first
	select {
	case <-second:
	default:
		panic("the longer time was over first") // want "panic"
	}
}
