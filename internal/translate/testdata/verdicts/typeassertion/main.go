package main

import "sync"

type unlocker interface{ Unlock() }

func main() {
	var mu sync.Mutex
	var l sync.Locker = &mu
	l.Lock()
	if u, ok := l.(unlocker); ok {
		u.Unlock()
	}
	if _, ok := l.(interface{ RLock() }); ok {
		panic("a Mutex has no RLock")
	}
	l.(*sync.Mutex).Unlock() // want "unlock of unlocked mutex"
}
