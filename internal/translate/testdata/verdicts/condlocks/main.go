package main

import "sync"

type inner struct{ sync.Mutex }

// quiet does nothing when it is locked.
type quiet struct{}

func (quiet) Lock()   {}
func (quiet) Unlock() {}

// counted locks by the value.
type counted struct{ mu *sync.Mutex }

func (c counted) Lock()   { c.mu.Lock() }
func (c counted) Unlock() { c.mu.Unlock() }

type queue struct {
	cond *sync.Cond
	n    int
}

func (q *queue) take() {
	q.cond.L.Lock()
	for q.n == 0 {
		q.cond.Wait() // want "deadlock"
	}
	q.n--
	q.cond.L.Unlock()
}

func (q *queue) put() {
	q.cond.L.Lock()
	q.n++
	q.cond.L.Unlock()
	q.cond.Signal()
}

// A condition variable takes any lock: one of its own, one that is a value, one that
// does nothing, so that a signal may come too early.
func main() {
	var mu sync.Mutex
	for _, l := range []sync.Locker{counted{&mu}, &inner{}, quiet{}} {
		q := &queue{cond: sync.NewCond(l)}
		go q.put()
		q.take()
	}
	mu.Lock()
	mu.Unlock()
	never := sync.NewCond(quiet{})
	never.L.Lock()
	never.Signal()
	never.Wait() // want "deadlock"
}
