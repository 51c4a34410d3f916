package main

import "sync"

func main() {
	mu := sync.Mutex{}
	p := &mu
	q := new(sync.Mutex)
	p.Lock()
	q.Lock()
	*q = sync.Mutex{}
	q.Lock()
	mu.Lock() // want "deadlock"
}
