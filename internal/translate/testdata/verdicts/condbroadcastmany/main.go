package main

import "sync"

// Broadcast wakes all who wait, also the third.
func main() {
	var mu sync.Mutex
	c := sync.NewCond(&mu)
	waiting, open := 0, false
	var wg sync.WaitGroup
	for range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			mu.Lock()
			defer mu.Unlock()
			waiting++
			for !open {
				c.Wait()
			}
		}()
	}
	mu.Lock()
	open = waiting == 3
	mu.Unlock()
	if !open {
		return
	}
	c.Broadcast()
	wg.Wait()
}
