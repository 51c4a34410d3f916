package main

import "time"

// A tick is lost if nobody has received the one before it: then there is none until
// the next, and what was armed after it may come first.
func main() {
	ticks := time.NewTicker(2 * time.Second)
	defer ticks.Stop()
	second := time.After(5 * time.Second)
	<-ticks.C
	<-second
	select {
	case <-ticks.C:
	default:
		panic("no tick") // want "panic"
	}
}
