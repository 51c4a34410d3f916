package main

import "sync"

// Two goroutines append to one slice, which has room: in between, what one of them has
// written is written over.
func main() {
	base := make([]chan int, 0, 2)
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			own := append(base, make(chan int, 1))
			own[0] <- 1 // if it is the channel of the other one, it is full
		}()
	}
	wg.Wait() // want "deadlock"
}
