package main

import "sync"

// The waiter that main signals gets the lock between two readings, before or behind them.
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
	rw.RUnlock()
	rw.RLock()
	rw.RUnlock()
	<-done
}
