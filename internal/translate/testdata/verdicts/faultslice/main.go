package main

import "sync"

type queue struct {
	mu    sync.Mutex
	items []string
}

func (q *queue) pop() {
	q.mu.Lock() // want "deadlock"
	q.items = q.items[1:]
	q.mu.Unlock()
}

func (q *queue) try() {
	defer func() { recover() }()
	q.pop()
}

// The panic passes a function that does not recover it.
func main() {
	q := &queue{items: []string{"a"}}
	q.try()
	q.try()
	q.try()
}
