package main

import (
	"math/rand"
	"sync"
)

func main() {
	var mu sync.Mutex
	var wg sync.WaitGroup
	total := 0
	for range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			n := rand.Intn(3)
			mu.Lock()
			total += n
			mu.Unlock()
		}()
	}
	wg.Wait()
	if total == 6 {
		panic("all twos") // want "panic"
	}
}
