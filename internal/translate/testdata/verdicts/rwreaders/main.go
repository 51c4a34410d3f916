package main

import "sync"

// More readers than the model counts.
func main() {
	var mu sync.RWMutex
	for range 33 {
		mu.RLock() // unreal "bound exceeded"
	}
	mu.Lock() // missed "deadlock"
}
