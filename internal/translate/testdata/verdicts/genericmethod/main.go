package main

import "sync"

type locker interface {
	Lock()
	Unlock()
}

func with[L locker](l L, f func()) {
	l.Lock() // want "deadlock"
	defer l.Unlock()
	f()
}

func main() {
	a, b := new(sync.Mutex), new(sync.RWMutex)
	with(a, func() { with(b, func() {}) })
	with(a, func() { with(a, func() {}) })
}
