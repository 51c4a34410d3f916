package main

import "sync"

type node struct {
	mu   sync.Mutex
	next *node
}

// Hand over hand: the lock of the next is taken before that of this is given
// back. A ring comes back to its beginning.
func walk(n *node) {
	n.mu.Lock()
	for n.next != nil {
		next := n.next
		next.mu.Lock() // want "deadlock"
		n.mu.Unlock()
		n = next
	}
	n.mu.Unlock()
}

func main() {
	c := &node{}
	b := &node{next: c}
	a := &node{next: b}
	walk(a)
	b.mu.Lock()
	walk(a)
}
