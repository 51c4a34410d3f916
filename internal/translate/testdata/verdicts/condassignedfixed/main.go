package main

import "sync"

// queue has its Cond by value and sets the lock of it later; nothing else reads
// that field.
type queue struct {
	mu     sync.RWMutex
	cond   sync.Cond
	items  []int
	closed bool
}

func newQueue() *queue {
	q := &queue{}
	q.cond.L = &q.mu
	return q
}

func (q *queue) put(v int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items = append(q.items, v)
	q.cond.Broadcast()
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.cond.Broadcast()
}

func (q *queue) take() (int, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) == 0 {
		if q.closed {
			return 0, false
		}
		q.cond.Wait()
	}
	v := q.items[0]
	q.items = q.items[1:]
	return v, true
}

func main() {
	q := newQueue()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			if _, ok := q.take(); !ok {
				return
			}
		}
	}()
	q.put(1)
	q.close()
	<-done
}
