package main

import "time"

// The goroutine sleeps longer, but main may be late.
func main() {
	c := make(chan int, 1)
	go func() {
		time.Sleep(10 * time.Millisecond)
		close(c)
	}()
	time.Sleep(5 * time.Millisecond)
	c <- 1 // want "send on closed channel"
}
