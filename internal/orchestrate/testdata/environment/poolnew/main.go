package main

import (
	"sync"
)

func main() {
	var pool sync.Pool
	pool.Put(make(chan int, 1))
	c, _ := pool.Get().(chan int)
	c <- 1 // want "deadlock"
}
