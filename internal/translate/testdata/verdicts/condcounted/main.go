package main

import "sync"

// A lock that counts, around a Mutex of package sync.
type counted struct {
	mu    sync.Mutex
	locks int
}

func (c *counted) Lock() {
	c.mu.Lock()
	c.locks++
}

func (c *counted) Unlock() {
	if c.locks == 0 {
		panic("not locked") // want "panic"
	}
	c.locks--
	c.mu.Unlock()
}

func main() {
	l := &counted{}
	cond := sync.NewCond(l)
	n := 0
	var wg sync.WaitGroup
	wg.Add(2)
	for range 2 {
		go func() {
			defer wg.Done()
			l.Lock()
			defer l.Unlock()
			for n == 0 {
				cond.Wait()
			}
			n--
		}()
	}
	l.Lock()
	n = 2
	cond.Broadcast()
	l.Unlock()
	wg.Wait()
	cond.L.Unlock() // unlocked twice
}
