package main

import "sync"

func main() {
	var wg sync.WaitGroup
	var mu sync.Mutex
	n := 0
	for range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			mu.Lock()
			defer mu.Unlock()
			n++
		}()
	}
	wg.Wait()
	if n != 3 {
		panic("lost")
	}
}
