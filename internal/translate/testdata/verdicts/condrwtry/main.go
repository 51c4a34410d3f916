package main

import "sync"

// A signalled waiter that waits for a reader keeps those out who only try, too.
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
	if !rw.TryRLock() {
		panic("nobody else wants the lock")
	}
	rw.RUnlock()
	c.Signal()
	if rw.TryLock() {
		panic("the lock is read")
	}
	if rw.TryRLock() {
		rw.RUnlock()
	} else {
		panic("the waiter wants the lock back") // want "panic"
	}
	rw.RUnlock()
	<-done
}
