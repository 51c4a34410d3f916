package main

import "sync"

// A Once whose function has panicked is done; which one of two it is depends on what came
// first.
func main() {
	var onces [2]sync.Once
	c, done := make(chan int, 2), make(chan int)
	go func() { c <- 0 }()
	go func() { c <- 1 }()
	i := <-c
	func() {
		defer func() { recover() }()
		onces[i].Do(func() { panic("first") })
	}()
	onces[i].Do(func() { <-done })
	onces[1].Do(func() {
		if i == 0 {
			<-done // want "deadlock"
		}
	})
}
