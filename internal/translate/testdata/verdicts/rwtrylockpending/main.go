package main

import "sync"

// A writer that waits keeps readers out, those that only try as well.
func main() {
	var mu sync.RWMutex
	mu.RLock()
	done := make(chan bool)
	go func() {
		mu.Lock()
		mu.Unlock()
		close(done)
	}()
	if mu.TryRLock() {
		mu.RUnlock()
	} else {
		panic("a writer waits") // want "panic"
	}
	mu.RUnlock()
	<-done
}
