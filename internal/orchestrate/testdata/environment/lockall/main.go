package main

import (
	"sync"
)

func main() {
	locks := map[string]*sync.Mutex{"a": new(sync.Mutex), "b": new(sync.Mutex)}
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for _, mu := range locks {
				mu.Lock() // want "deadlock"
			}
			for _, mu := range locks {
				mu.Unlock()
			}
		}()
	}
	wg.Wait() // want "deadlock"
}
