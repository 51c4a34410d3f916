package main

import "sync"

func main() {
	sem := make(chan struct{}, 2)
	var wg sync.WaitGroup
	var mu sync.Mutex
	running := 0
	for range 3 {
		wg.Add(1)
		sem <- struct{}{}
		go func() {
			defer wg.Done()
			mu.Lock()
			if running++; running > 2 {
				panic("too many")
			}
			mu.Unlock()
			mu.Lock()
			running--
			mu.Unlock()
			<-sem
		}()
	}
	wg.Wait()
}
