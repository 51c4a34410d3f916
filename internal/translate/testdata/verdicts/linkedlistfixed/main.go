package main

import "sync"

type node struct {
	mu   sync.Mutex
	next *node
}

func walk(n *node) {
	n.mu.Lock()
	for n.next != nil {
		next := n.next
		next.mu.Lock()
		n.mu.Unlock()
		n = next
	}
	n.mu.Unlock()
}

func main() {
	c := &node{}
	b := &node{next: c}
	a := &node{next: b}
	done := make(chan bool)
	go func() {
		walk(a)
		done <- true
	}()
	walk(a)
	<-done
}
