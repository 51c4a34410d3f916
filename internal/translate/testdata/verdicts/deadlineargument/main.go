package main

import "time"

// waits takes as long as the longer of two times, if it is given that last.
func waits(short, long time.Duration, done chan<- bool) {
	first, second := time.NewTimer(short), time.NewTimer(long)
	<-second.C
	select {
	case <-first.C:
		done <- true
	default:
		done <- false
	}
}

// given starts it with a time of its own, of which the model knows nothing.
func given(short time.Duration) bool {
	done := make(chan bool)
	go waits(short, 2*time.Second, done)
	return <-done
}

func main() {
	done := make(chan bool)
	go waits(time.Second, 2*time.Second, done)
	if !<-done {
		panic("the longer time was over first")
	}
	if !given(time.Second) {
		panic("the longer time was over first") // unreal "panic"
	}
}
