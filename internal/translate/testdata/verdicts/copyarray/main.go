package main

import "sync"

type shards struct {
	locks [2]sync.RWMutex
}

func main() {
	var a shards
	a.locks[1].RLock()
	b := a
	b.locks[0].Lock()
	a.locks[1].RUnlock()
	b.locks[1].Lock() // want "deadlock"
}
