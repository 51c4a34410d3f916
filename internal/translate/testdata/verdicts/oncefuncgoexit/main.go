package main

import (
	"runtime"
	"sync"
)

// The function of a OnceFunc that ends by Goexit panics.
func main() {
	f := sync.OnceFunc(func() {
		runtime.Goexit() // want "panic"
	})
	go func() { f() }()
	<-make(chan int)
}
