package main

import "sync"

// The others are stopped where they are: nobody is stuck for ever.
func main() {
	c := make(chan int)
	var mu sync.Mutex
	mu.Lock()
	go func() { c <- 1 }()
	go func() {
		select {}
	}()
	go func() {
		for {
			mu.TryLock()
		}
	}()
}
