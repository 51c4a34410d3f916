package main

import "sync"

func with(l sync.Locker, f func()) {
	l.Lock() // missed "deadlock"
	defer l.Unlock()
	f()
}

func main() {
	var mu sync.RWMutex
	with(mu.RLocker(), func() { // under "unknown-call"
		with(mu.RLocker(), func() {}) // under "unknown-call"
	})
	with(mu.RLocker(), func() { // under "unknown-call"
		with(&mu, func() {})
	})
}
