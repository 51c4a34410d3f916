package main

import "sync/atomic"

func main() {
	a, b := make(chan int), make(chan int)
	var v atomic.Value
	v.Store(a)
	if !v.CompareAndSwap(a, b) || v.CompareAndSwap(a, b) {
		<-a
	}
	go func() { <-b }()
	v.Load().(chan int) <- 1
	go func() { <-a }()
	v.Load().(chan int) <- 1 // want "deadlock"
}
