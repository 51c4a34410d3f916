package main

import "time"

// The next tick may come before what is armed behind a tick.
func main() {
	ticks := time.NewTicker(2 * time.Second)
	defer ticks.Stop()
	c := make(chan int, 1)
	<-ticks.C
	c <- 1
	first := time.After(time.Second)
	<-ticks.C
	select {
	case <-first:
	default:
		panic("the tick was first") // want "panic"
	}
}
