package main

import (
	"math/rand"
	"sync"
)

func main() {
	var a, b sync.Mutex
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		x, y := &a, &b
		if rand.Intn(2) == 0 {
			x, y = y, x
		}
		go func() {
			defer wg.Done()
			x.Lock()
			y.Lock() // want "deadlock"
			y.Unlock()
			x.Unlock()
		}()
	}
	wg.Wait() // want "deadlock"
}
