package main

import "sync"

func locked(mu *sync.Mutex) func() {
	mu.Lock() // want "deadlock"
	return mu.Unlock
}

func main() {
	var mu sync.Mutex
	func() {
		defer locked(&mu)()
	}()
	// The call of its result is missing.
	func() {
		defer locked(&mu)
	}()
	locked(&mu)
}
