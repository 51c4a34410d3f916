package main

import "time"

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

func narrow(n uint8) bool {
	return over(time.NewTimer(time.Duration(n)*time.Second), time.NewTimer(time.Duration(n+200)*time.Second))
}

func rest(d time.Duration) bool { return over(time.NewTimer(d%7), time.NewTimer(d)) }

// What is computed in fewer bits may wrap around.
func main() {
	if narrow(100) {
		panic("44 seconds are over before 100") // want "panic"
	}
	if rest(time.Second) {
		panic("the longer time was over first") // unreal "panic"
	}
}
