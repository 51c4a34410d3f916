package main

import "sync"

// The function that OnceFunc returns panics at every call, if it has at the first.
func main() {
	f := sync.OnceFunc(func() { panic("first") })
	func() {
		defer func() { recover() }()
		f()
	}()
	c := make(chan int)
	func() {
		defer func() { recover() }()
		f()
		close(c)
	}()
	<-c // want "deadlock"
}
