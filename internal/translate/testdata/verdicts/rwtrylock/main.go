package main

import "sync"

func main() {
	var mu sync.RWMutex
	mu.RLock()
	if mu.TryLock() {
		panic("it is read-locked")
	}
	if !mu.TryRLock() {
		panic("nobody writes")
	}
	mu.RUnlock()
	mu.RUnlock()
	if !mu.TryLock() || mu.TryRLock() || mu.TryLock() {
		panic("one writer")
	}
	mu.RLock() // want "deadlock"
}
