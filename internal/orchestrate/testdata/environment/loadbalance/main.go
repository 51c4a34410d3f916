package main

import (
	randv2 "math/rand/v2"
	"sync"
)

func main() {
	var wg sync.WaitGroup
	backends := []chan int{make(chan int, 1), make(chan int, 1), make(chan int, 1)}
	for range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			select {
			case backends[randv2.IntN(len(backends))] <- 1:
			default:
				panic("overload") // want "panic"
			}
		}()
	}
	wg.Wait()
}
