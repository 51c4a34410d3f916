package main

import (
	"sync"
	"time"
)

// Goroutines of one place arm timers, and what they do follows from which is first, or if one was held.
func main() {
	var wg sync.WaitGroup
	c := make(chan int, 2)
	for range 2 {
		wg.Go(func() {
			t := time.NewTimer(time.Second)
			select {
			case <-t.C:
				c <- 1
			case <-time.After(2 * time.Second):
				c <- 2
			}
		})
	}
	wg.Wait()
	if <-c == 2 || <-c == 2 {
		<-c // want "deadlock"
	}
	<-c // want "deadlock"
}
