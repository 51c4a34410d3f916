package main

import "sync/atomic"

// A CompareAndSwap that fails stores nothing.
func main() {
	var n atomic.Int32
	n.Store(1)
	if n.CompareAndSwap(0, 2) {
		panic("it is 1")
	}
	if n.Load() != 1 {
		panic("it is 1 still")
	}
	if !n.CompareAndSwap(1, 2) || n.Load() != 2 {
		panic("it was 1")
	}
	panic("done") // want "panic"
}
