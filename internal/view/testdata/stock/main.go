// Package main serves orders from a stock. Its run goes well, and need not.
package main

import (
	"sync"
	"sync/atomic"
)

type stock struct {
	mu    sync.Mutex
	items map[string]int
	log   chan string
}

// take says in the log what it takes, and does so under the lock.
func (s *stock) take(item string) {
	s.mu.Lock()
	s.items[item]--
	s.log <- item
	s.mu.Unlock()
}

// writer writes the log, and looks at the stock when it is asked how much there is.
func (s *stock) writer(ask <-chan string, left chan<- int) {
	for {
		select {
		case <-s.log:
		case item, ok := <-ask:
			if !ok {
				return
			}
			s.mu.Lock()
			left <- s.items[item]
			s.mu.Unlock()
		}
	}
}

func main() {
	s := &stock{items: map[string]int{"tea": 4, "salt": 2}, log: make(chan string)}
	ask, left := make(chan string), make(chan int, 1)
	go s.writer(ask, left)
	orders := make(chan string, 2)
	var wg sync.WaitGroup
	var served atomic.Int32
	for range 2 {
		wg.Go(func() {
			for item := range orders {
				s.take(item)
				served.Add(1)
			}
		})
	}
	for _, item := range []string{"tea", "salt", "tea", "tea"} {
		orders <- item
	}
	ask <- "tea"
	close(orders)
	wg.Wait()
	close(ask)
	println(<-left, served.Load())
}
