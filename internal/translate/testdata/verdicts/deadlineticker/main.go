package main

import "time"

// The first tick comes before what is armed later for a longer time, and not before
// what was armed before for a shorter one.
func main() {
	first := time.After(time.Second)
	ticks := time.NewTicker(2 * time.Second)
	second := time.After(5 * time.Second)
	defer ticks.Stop()
	select {
	case <-ticks.C:
		select {
		case <-first:
		default:
			panic("the tick was first")
		}
	case <-second:
		select {
		case <-ticks.C:
		default:
			panic("no tick")
		}
	}
}
