package main

import "sync"

func main() {
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	open := false
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			mu.Lock()
			defer mu.Unlock()
			for !open {
				c.Wait()
			}
		}()
	}
	mu.Lock()
	open = true
	mu.Unlock()
	c.Signal()
	wg.Wait() // want "deadlock"
}
