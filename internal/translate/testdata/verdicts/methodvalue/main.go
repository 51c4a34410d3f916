package main

import "sync"

func with(lock, unlock func(), f func()) {
	lock()
	defer unlock()
	f()
}

func main() {
	var mu sync.Mutex
	with(mu.Lock, mu.Unlock, func() {})
	with(mu.Lock, mu.Unlock, mu.Unlock) // want "unlock of unlocked mutex"
}
