package main

import "sync"

// Main serves for ever: a goroutine that is stuck at a channel is an error, and
// so are goroutines that are stuck at locks.
func main() {
	requests := make(chan int)
	lost := make(chan int)
	go func() {
		lost <- 1 // want "partial deadlock" // unconfirmed "the others never rest, so no run shows that it lasts"
	}()
	var mu sync.Mutex
	go func() {
		mu.Lock()
		mu.Lock() // want "partial deadlock" // unconfirmed "the others never rest, so no run shows that it lasts"
	}()
	go func() {
		for {
			requests <- 1
		}
	}()
	for {
		<-requests
	}
}
