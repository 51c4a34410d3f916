package main

import "sync"

// Of two waiters that are woken at once, and find a reader, one waits for the reader to
// leave, and the other for the first.
func main() {
	var rw sync.RWMutex
	c := sync.NewCond(&rw)
	var wg sync.WaitGroup
	waiting, woken := 0, 0
	for range 2 {
		wg.Go(func() {
			rw.Lock()
			waiting++
			c.Wait()
			woken++
			rw.Unlock()
		})
	}
	rw.RLock()
	both := waiting == 2
	rw.RUnlock()
	if !both {
		return
	}
	rw.RLock()
	c.Broadcast()
	rw.RUnlock()
	rw.RLock()
	if woken == 1 {
		panic("one of them had the lock, and main before the other") // want "panic"
	}
	rw.RUnlock()
	wg.Wait()
	if woken != 2 {
		panic("one had no lock")
	}
}
