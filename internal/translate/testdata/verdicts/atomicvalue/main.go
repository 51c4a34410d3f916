package main

import "sync/atomic"

func main() {
	var v atomic.Value
	v.Store(make(chan int, 1))
	v.Load().(chan int) <- 1
	<-v.Load().(chan int)
	<-v.Load().(chan int) // want "deadlock"
}
