// searched "bounds"
package main

import (
	"container/list"
	"sync"
)

// Waiters of different weights queue in a list, as in a weighted semaphore.
type waiter struct {
	n     int
	ready chan struct{}
}

type weighted struct {
	mu      sync.Mutex
	size    int
	cur     int
	waiters list.List
}

func (s *weighted) acquire(n int) {
	s.mu.Lock()
	if s.size-s.cur >= n && s.waiters.Len() == 0 {
		s.cur += n
		s.mu.Unlock()
		return
	}
	ready := make(chan struct{})
	s.waiters.PushBack(waiter{n, ready})
	s.mu.Unlock()
	<-ready
}

func (s *weighted) release(n int) {
	s.mu.Lock()
	s.cur -= n
	for {
		next := s.waiters.Front()
		if next == nil {
			break
		}
		w := next.Value.(waiter)
		if s.size-s.cur < w.n {
			break
		}
		s.cur += w.n
		s.waiters.Remove(next)
		close(w.ready)
	}
	s.mu.Unlock()
}

func main() {
	s := &weighted{size: 2}
	var wg sync.WaitGroup
	wg.Add(2)
	for range 2 {
		s.acquire(1)
		go func() {
			defer func() {
				s.release(1)
				wg.Done()
			}()
			s.release(1)
			s.acquire(1)
		}()
	}
	s.acquire(2)
	s.release(2)
	wg.Wait()
}
