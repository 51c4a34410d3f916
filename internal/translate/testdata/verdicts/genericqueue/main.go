package main

import "sync"

type queue[T any] struct {
	mu    sync.Mutex
	full  chan struct{}
	items []T
}

func (q *queue[T]) put(v T) {
	q.mu.Lock()
	q.items = append(q.items, v)
	q.mu.Unlock()
	q.full <- struct{}{}
}

func (q *queue[T]) get() T {
	<-q.full
	q.mu.Lock()
	defer q.mu.Unlock()
	v := q.items[0]
	q.items = q.items[1:]
	return v
}

func main() {
	q := &queue[*int]{full: make(chan struct{}, 2)}
	n := 1
	go q.put(&n)
	go q.put(nil)
	a, b := q.get(), q.get()
	if a == nil && b == nil {
		panic("lost")
	}
}
