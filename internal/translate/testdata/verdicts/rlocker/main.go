package main

import "sync"

func with(l sync.Locker, f func()) {
	l.Lock() // want "deadlock"
	defer l.Unlock()
	f()
}

func main() {
	var mu sync.RWMutex
	with(mu.RLocker(), func() {
		with(mu.RLocker(), func() {})
	})
	with(mu.RLocker(), func() {
		with(&mu, func() {})
	})
}
