package main

import "sync/atomic"

func main() {
	var v atomic.Value
	swapped := make(chan bool, 4)
	swapped <- v.CompareAndSwap(nil, 1)
	swapped <- v.CompareAndSwap(2, 3)
	if !<-swapped || <-swapped {
		<-swapped
	}
	func() {
		defer func() { _ = recover(); swapped <- true }()
		v.Swap("text")
	}()
	<-swapped
	v.CompareAndSwap("a", 2) // want "panic"
}
