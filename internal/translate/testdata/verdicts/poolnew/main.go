package main

import "sync"

// A pool that has a value may return a new one.
func main() {
	pool := sync.Pool{New: func() any { return make(chan int, 1) }}
	c := pool.Get().(chan int)
	c <- 1
	pool.Put(c)
	<-pool.Get().(chan int) // want "deadlock"
}
