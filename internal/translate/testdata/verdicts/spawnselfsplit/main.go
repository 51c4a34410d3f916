package main

import "sync"

// split starts a goroutine of its own kind, and one of another in each.
func split(n int, mu *sync.Mutex, wg *sync.WaitGroup) {
	defer wg.Done()
	if n == 0 {
		return
	}
	wg.Add(2)
	go func() {
		defer wg.Done()
		mu.Lock()
		defer mu.Unlock()
	}()
	go split(n-1, mu, wg)
}

func main() {
	var wg sync.WaitGroup
	var mu sync.Mutex
	wg.Add(1)
	go split(3, &mu, &wg)
	wg.Wait()
}
