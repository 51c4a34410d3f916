package main

import "sync"

// An if in place of the for: one of two waiters finds nothing.
func main() {
	var mu sync.Mutex
	cond := sync.NewCond(&mu)
	n := 0
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			mu.Lock()
			defer mu.Unlock()
			if n == 0 {
				cond.Wait()
			}
			if n == 0 {
				panic("nothing there") // want "panic"
			}
			n--
		}()
	}
	for range 2 {
		mu.Lock()
		n++
		mu.Unlock()
		cond.Broadcast()
	}
	wg.Wait()
}
