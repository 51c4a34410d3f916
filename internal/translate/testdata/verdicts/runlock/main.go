package main

import "sync"

func main() {
	var mu sync.RWMutex
	mu.RLock()
	mu.RUnlock()
	mu.RUnlock() // want "unlock of unlocked mutex"
}
