package main

import "time"

// What is pending at a tick comes before the next one if it was armed for no longer
// than the period.
func main() {
	ticks := time.NewTicker(2 * time.Second)
	defer ticks.Stop()
	c := make(chan int, 1)
	<-ticks.C
	first := time.After(time.Second)
	c <- 1
	<-ticks.C
	<-ticks.C
	<-ticks.C
	select {
	case <-first:
	default:
		panic("three ticks were first")
	}
}
