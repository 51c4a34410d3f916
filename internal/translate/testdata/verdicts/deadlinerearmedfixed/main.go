package main

import "time"

// What a timer is armed with last counts: here for no longer than the other.
func main() {
	first := time.NewTimer(3 * time.Second)
	<-first.C
	first.Reset(2 * time.Second)
	second := time.NewTimer(2 * time.Second)
	<-second.C
	select {
	case <-first.C:
	default:
		panic("the second was over first")
	}
}
