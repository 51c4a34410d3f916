package main

import "sync"

type stack struct {
	mu    sync.Mutex
	items []int
	quit  chan bool
}

// The first element does not matter, that there is one does.
func (s *stack) pop() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.items[len(s.items)-1] // want "panic"
	s.items = s.items[:len(s.items)-1]
	if len(s.items) == 0 {
		s.quit <- true
	}
	return v
}

func main() {
	s := &stack{items: []int{1}, quit: make(chan bool, 2)}
	go s.pop()
	go s.pop()
	<-s.quit
}
