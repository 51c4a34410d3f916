package main

import "sync"

type stack struct {
	mu    sync.Mutex
	items []int
}

func (s *stack) top() (v int) {
	defer func() { recover() }()
	s.mu.Lock()
	v = s.items[len(s.items)-1]
	s.mu.Unlock()
	return v
}

func main() {
	s := &stack{items: []int{1}}
	s.top()
	s.items = s.items[:0]
	s.top()
	s.mu.Lock() // want "deadlock"
}
