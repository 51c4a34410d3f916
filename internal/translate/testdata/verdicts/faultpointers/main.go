package main

import "sync"

type store struct {
	mu   sync.Mutex
	last int
	list [3]int
}

func (s *store) do(f func()) {
	defer func() { recover() }()
	s.mu.Lock()
	f()
	s.mu.Unlock()
}

// What panics is recovered with the lock held, though nobody needs what it computes.
func main() {
	var s store
	var none *int
	var next *store
	var names map[string]int
	some, zero := new(int), 0
	which := make(chan int, 1)
	select {
	case which <- 0:
	case which <- 1:
	case which <- 2:
	case which <- 3:
	case which <- 4:
	case which <- 5:
	}
	switch <-which {
	case 0:
		s.do(func() { *none = 1 })
		s.mu.Lock() // want "deadlock"
	case 1:
		s.do(func() { s.last = *none })
		s.mu.Lock() // want "deadlock"
	case 2:
		s.do(func() { next.last = 1 })
		s.mu.Lock() // want "deadlock"
	case 3:
		s.do(func() { names["a"] = 1 })
		s.mu.Lock() // want "deadlock"
	case 4:
		s.do(func() { s.last /= zero })
		s.mu.Lock() // want "deadlock"
	case 5:
		s.do(func() { *some = 1 })
		s.do(func() { s.last = *some })
		s.do(func() { s.list[2] = 1 })
		s.do(func() { s.last /= *some })
		s.mu.Lock()
		s.mu.Unlock()
	}
}
