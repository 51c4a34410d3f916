package main

import "sync"

type queue struct {
	name string
	sync.Mutex
	cond  *sync.Cond
	items int
}

func newQueue() *queue {
	q := &queue{}
	q.cond = sync.NewCond(q)
	return q
}

func (q *queue) take() {
	q.Lock()
	for q.items == 0 {
		q.cond.Wait() // want "deadlock"
	}
	q.items--
	q.Unlock()
}

func main() {
	q := newQueue()
	go func() {
		q.Lock()
		q.items++
		q.Unlock()
		q.cond.Signal()
	}()
	q.take()
	q.take()
}
