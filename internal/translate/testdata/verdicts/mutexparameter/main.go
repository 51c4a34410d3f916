package main

import "sync"

func twice(mu *sync.Mutex, f func()) {
	mu.Lock()
	f()
	mu.Unlock()
}

func main() {
	var a, b sync.Mutex
	go twice(&a, func() { twice(&b, func() {}) })
	twice(&b, func() {
		a.Lock() // want "deadlock"
		a.Unlock()
	})
}
