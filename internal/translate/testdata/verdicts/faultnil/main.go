package main

import "sync"

type node struct {
	next *node
	v    int
}

// The second node of a list of one.
func main() {
	var mu sync.Mutex
	second := func(l *node) (v int) {
		defer func() { recover() }()
		mu.Lock() // want "deadlock"
		v = l.next.v
		mu.Unlock()
		return v
	}
	second(&node{next: &node{}})
	second(&node{})
	second(&node{next: &node{}})
}
