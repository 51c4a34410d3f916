package main

import (
	"math/rand"
	"sync"
	"time"
)

func main() {
	var mu sync.Mutex
	leaders := 0
	var wg sync.WaitGroup
	for range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			timeout := time.Duration(150+rand.Intn(4)*50) * time.Millisecond
			time.Sleep(timeout)
			mu.Lock()
			if leaders == 0 || timeout == 150*time.Millisecond {
				leaders++
			}
			n := leaders
			mu.Unlock()
			if n == 3 {
				panic("three leaders") // want "panic"
			}
		}()
	}
	wg.Wait()
}
