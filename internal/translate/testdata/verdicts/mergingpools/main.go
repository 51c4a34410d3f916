package main

import "sync"

// Functions called through values and objects allocated on one of two paths: the
// paths merge although they have taken different numbers of objects.

type node struct {
	mu   sync.Mutex
	next *node
	n    int
}

func grow(list *node, more bool) *node {
	if more {
		list = &node{next: list, n: 1}
	}
	return list
}

func main() {
	more, less := make(chan bool), make(chan bool)
	close(more)
	close(less)
	for range 3 {
		var add [3]bool
		for i := range add {
			select {
			case <-more:
				add[i] = true
			case <-less:
			}
		}
		list := grow(grow(grow(nil, add[0]), add[1]), add[2])
		total := 0
		for n := list; n != nil; n = n.next {
			total += n.n
		}
		if total > 3 {
			panic("more than were made")
		}
		if total == 3 {
			list.mu.Lock()
			list.next.mu.Lock()
			list.next.next.mu.Lock()
			list.mu.Lock() // want "deadlock"
		}
	}
}
