package main

import "sync"

// Who waited has its lock again when main tries it, or has not.
func main() {
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	ready, done := make(chan bool), make(chan bool)
	go func() {
		mu.Lock()
		close(ready)
		c.Wait()
		mu.Unlock()
		close(done)
	}()
	<-ready
	mu.Lock()
	c.Signal()
	mu.Unlock()
	if mu.TryLock() {
		mu.Unlock()
	} else {
		panic("the waiter has its lock again") // want "panic"
	}
	<-done
}
