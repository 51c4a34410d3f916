package main

import "sync"

// A queue of functions in a ring: positions wrap around by a mask.
type ring[T any] struct {
	buf              []T
	head, tail, size int
}

func (r *ring[T]) push(v T) {
	r.buf[r.tail] = v
	r.tail = (r.tail + 1) & (len(r.buf) - 1)
	r.size++
}

func (r *ring[T]) pop() T {
	v := r.buf[r.head]
	r.head = (r.head + 1) & (len(r.buf) - 1)
	r.size--
	return v
}

func (r *ring[T]) back() T { return r.buf[(r.tail-1)&(len(r.buf)-1)] }

func main() {
	var mu sync.Mutex
	q := &ring[func()]{buf: make([]func(), 1<<1)}
	out := make(chan int, 4)
	mu.Lock()
	q.push(func() { out <- 0 })
	q.push(func() { out <- 1 })
	q.pop()()
	q.push(func() { mu.Lock() })
	mu.Unlock()
	done := make(chan bool)
	go func() {
		for range 2 {
			mu.Lock()
			f := q.pop()
			mu.Unlock()
			f()
		}
		close(done)
	}()
	<-done
	if <-out|<-out<<1 != 2 {
		panic("order")
	}
	mu.Lock() // want "deadlock"
}
