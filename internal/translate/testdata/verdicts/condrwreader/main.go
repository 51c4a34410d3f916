package main

import "sync"

// The waiter wants the lock back for writing while main reads, and waits for the waiter.
func main() {
	var rw sync.RWMutex
	c := sync.NewCond(&rw)
	ready, done := make(chan bool), make(chan bool)
	go func() {
		rw.Lock()
		close(ready)
		c.Wait()
		rw.Unlock()
		close(done)
	}()
	<-ready
	rw.RLock()
	c.Signal()
	<-done // want "deadlock"
	rw.RUnlock()
}
