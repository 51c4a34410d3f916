package main

import "sync/atomic"

var handler atomic.Value

// current has another function as long as there is none.
func current() func() {
	if v := handler.Load(); v != nil {
		return v.(func())
	}
	return func() {}
}

func main() {
	done := make(chan bool)
	never := make(chan int, 1)
	go func() {
		handler.Store(func() { never <- 1 })
		close(done)
	}()
	current()()
	<-done
}
