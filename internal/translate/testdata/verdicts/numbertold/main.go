package main

import (
	"math/rand/v2"
	"sync"
)

// The conditions on one number agree.
func main() {
	n := rand.IntN(6)
	var mu sync.Mutex
	c := make(chan int, n)
	if n > 4 {
		mu.Lock()
	}
	for range n {
		c <- 1
	}
	if n >= 5 {
		mu.Unlock()
	}
	mu.Lock()
	if n == 5 {
		mu.Lock() // want "deadlock" // unconfirmed "two runs may draw different numbers"
	}
}
