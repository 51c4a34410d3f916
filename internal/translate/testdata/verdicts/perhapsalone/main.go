package main

import (
	"math/rand"
	"sync"
)

// Where the paths merge the main goroutine may be alone or not: what it knew while it was is
// no more known.
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
	if x == 1 {
		<-make(chan int) // want "deadlock"
	}
	mu.Unlock()
}
