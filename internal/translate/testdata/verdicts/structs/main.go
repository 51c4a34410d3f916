package main

import "sync"

type queue struct {
	mu    sync.Mutex
	items chan int
	done  bool
}

func newQueue(n int) *queue { return &queue{items: make(chan int, n)} }

func (q *queue) put(v int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.done {
		panic("put after close") // want "panic"
	}
	q.items <- v
}

func (q *queue) close() {
	q.mu.Lock()
	q.done = true
	close(q.items)
	q.mu.Unlock()
}

func main() {
	q := newQueue(4)
	finished := make(chan bool)
	go func() {
		q.put(1)
		q.put(2)
		finished <- true
	}()
	<-q.items
	q.close()
	<-finished
}
