package main

import "sync"

// A pool may return any of its values.
func main() {
	var p sync.Pool
	a, b := make(chan int, 1), make(chan int, 1)
	p.Put(a)
	p.Put(b)
	if c, ok := p.Get().(chan int); ok {
		c <- 1
	}
	select {
	case <-a:
		panic("the first") // want "panic"
	case <-b:
		panic("the second") // want "panic"
	default:
	}
}
