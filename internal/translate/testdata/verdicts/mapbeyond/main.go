package main

import "sync"

// The numbers in a map, keys and values, and those in an interface, grow beyond what the
// model tells apart: then they may be any, and are still found.
func main() {
	var mu sync.Mutex
	n := 0
	seen := map[int]int{}
	c := make(chan int)
	go func() {
		for {
			mu.Lock()
			n++
			delete(seen, n-1)
			seen[n] = n
			mu.Unlock()
			c <- 1
		}
	}()
	for range 40 {
		<-c
	}
	mu.Lock()
	if v, ok := seen[n]; ok && v >= 40 {
		mu.Lock() // want "deadlock"
	}
}
