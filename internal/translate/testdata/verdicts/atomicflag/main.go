package main

import (
	"sync"
	"sync/atomic"
)

// Test and set in two steps.
func main() {
	var closed atomic.Bool
	c := make(chan int)
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if closed.Load() {
				return
			}
			closed.Store(true)
			close(c) // want "close of closed channel"
		}()
	}
	wg.Wait()
}
