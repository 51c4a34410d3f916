package main

import "time"

type tick time.Duration

// over reports that the first is not over when the second is.
func over(first, second *time.Timer) bool {
	<-second.C
	select {
	case <-first.C:
		return false
	default:
		return true
	}
}

func quotient(d, by time.Duration) bool { return over(time.NewTimer(d/by), time.NewTimer(d)) }

func ticks(t tick, n int) bool {
	return over(time.NewTimer(time.Duration(t)*time.Second), time.NewTimer(time.Duration(n+1)*time.Second))
}

// Durations are followed through conversions and through arithmetic.
func main() {
	if quotient(time.Minute, 2) || ticks(5, 5) {
		panic("the longer time was over first")
	}
	<-make(chan int) // want "deadlock"
}
