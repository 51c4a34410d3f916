package main

import "sync"

// Under a lock the increment loses nothing.

type stats struct {
	mu   sync.RWMutex
	hits int
}

func (s *stats) read() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.hits
}

func main() {
	s := &stats{}
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s.mu.Lock()
			s.hits += 1
			s.mu.Unlock()
		}()
	}
	s.read()
	wg.Wait()
	if s.hits != 2 {
		panic("lost")
	}
}
