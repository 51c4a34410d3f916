package main

import "sync"

// A Once whose function panics is done.
func main() {
	var once sync.Once
	c := make(chan int, 1)
	func() {
		defer func() { recover() }()
		once.Do(func() {
			panic("first")
		})
	}()
	once.Do(func() { c <- 1 })
	<-c // want "deadlock"
}
