package main

import "time"

// A timer that is armed anew does not come before those that were armed before for a
// shorter time, nor does it keep them waiting.
func main() {
	c := make(chan int, 1)
	first := time.NewTimer(time.Second)
	second := time.NewTimer(2 * time.Second)
	first.Reset(3 * time.Second)
	c <- 1
	select {
	case <-first.C:
		select {
		case <-second.C:
		default:
			panic("the first was over first")
		}
	case <-second.C:
		panic("the second is over") // want "panic"
	}
}
