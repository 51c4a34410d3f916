package main

import (
	"math/rand"
	"sync"
)

func main() {
	var mu sync.Mutex
	x := 0
	if rand.Intn(2) == 0 {
		go func() {
			mu.Lock()
			x = 1
			mu.Unlock()
		}()
	}
	mu.Lock()
	if x == 2 {
		<-make(chan int)
	}
	mu.Unlock()
}
