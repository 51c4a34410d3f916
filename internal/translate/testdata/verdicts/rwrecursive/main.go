package main

import "sync"

// A writer that waits between two read locks of one goroutine stops the second.
func main() {
	var mu sync.RWMutex
	done := make(chan bool)
	go func() {
		mu.Lock()
		mu.Unlock()
		close(done)
	}()
	mu.RLock()
	mu.RLock() // want "deadlock"
	mu.RUnlock()
	mu.RUnlock()
	<-done
}
