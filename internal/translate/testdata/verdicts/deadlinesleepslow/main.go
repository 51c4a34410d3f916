package main

import "time"

// A sleep may be over before a shorter time is over that has begun later.
func main() {
	begun := make(chan int, 1)
	made := make(chan (<-chan time.Time), 1)
	go func() {
		time.Sleep(100 * time.Millisecond)
		select {
		case <-<-made:
		default:
			panic("the sleep was first") // want "panic"
		}
	}()
	begun <- 1
	made <- time.After(50 * time.Millisecond)
	time.Sleep(time.Second)
}
