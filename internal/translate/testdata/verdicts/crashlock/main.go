package main

import "sync"

// A goroutine that waits for the lock of one that is about to crash is not
// stuck: the crash is the error.
func main() {
	var mu sync.Mutex
	c, ready := make(chan int), make(chan bool)
	close(c)
	go func() {
		mu.Lock()
		ready <- true
		c <- 1 // want "send on closed channel"
		mu.Unlock()
	}()
	<-ready
	go func() {
		mu.Lock()
		mu.Unlock()
	}()
	d := make(chan bool)
	go func() { d <- true }()
	<-d
}
