package main

import "time"

// The next tick may come before what is armed behind a tick.
func main() {
	ticks := time.NewTicker(2 * time.Second)
	defer ticks.Stop()
	<-ticks.C
	time.Sleep(3 * time.Second)
	first := time.After(time.Second)
	<-ticks.C
	select {
	case <-first:
	default:
		panic("the tick was first") // want "panic"
	}
}
