package main

import "sync"

type node struct {
	v    chan int
	next *node
}

func main() {
	var mu sync.Mutex
	n := &node{v: make(chan int, 1)}
	func() {
		defer func() { recover() }()
		mu.Lock()
		n.v <- 1
		n.next.v <- 1
		mu.Unlock()
	}()
	mu.Lock() // want "deadlock"
}
