package main

import "sync"

type buffer struct{ c chan int }

func main() {
	pool := sync.Pool{New: func() any { return &buffer{make(chan int, 1)} }}
	b := pool.Get().(*buffer)
	b.c <- 1
	pool.Put(b)
	// The same one, with its value, or a new one.
	b = pool.Get().(*buffer)
	b.c <- 2 // want "deadlock"
}
