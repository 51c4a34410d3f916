package main

import "time"

// Timers of one loop have durations of their own.
func main() {
	var timers []*time.Timer
	for i := range 3 {
		timers = append(timers, time.NewTimer(time.Duration(i+1)*time.Second))
	}
	<-timers[2].C
	for _, t := range timers[:2] {
		select {
		case <-t.C:
		default:
			panic("the longest time was over first")
		}
	}
}
