package main

import "sync"

// The waiter that main signals is a writer, which waits for main's read lock and keeps it
// from reading once more.
func main() {
	var rw sync.RWMutex
	c := sync.NewCond(&rw)
	waiting, open := false, false
	done := make(chan bool)
	go func() {
		rw.Lock()
		waiting = true
		for !open {
			c.Wait()
		}
		rw.Unlock()
		close(done)
	}()
	rw.Lock()
	if !waiting {
		rw.Unlock()
		return
	}
	open = true
	rw.Unlock()
	rw.RLock()
	c.Signal()
	rw.RLock() // want "deadlock"
	rw.RUnlock()
	rw.RUnlock()
	<-done
}
