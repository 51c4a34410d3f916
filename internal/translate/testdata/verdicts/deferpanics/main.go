package main

import "sync"

// A panic inside a deferred function replaces the first; the other deferred
// functions still run, and can recover.
func main() {
	var mu sync.Mutex
	c := make(chan int)
	func() {
		defer func() {
			if recover() == nil {
				panic("nothing to recover")
			}
		}()
		mu.Lock()
		defer mu.Unlock()
		defer close(c)
		defer func() { panic("second") }()
		panic("first")
	}()
	mu.Lock()
	<-c
	c <- 1 // want "send on closed channel"
}
