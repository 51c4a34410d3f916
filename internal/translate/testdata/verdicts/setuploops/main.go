package main

import (
	"sync"
)

// Loops that set something up, in loops and in functions called in loops: each
// iteration makes objects of its own.
type node struct {
	mu   sync.Mutex
	next []*node
	in   chan int
}

func build(depth int, mu *sync.Mutex) *node {
	n := &node{in: make(chan int, 1)}
	for range depth {
		for range 2 {
			mu.Lock()
			n.next = append(n.next, &node{in: make(chan int)})
			mu.Unlock()
		}
	}
	return n
}

func main() {
	var mu sync.Mutex
	var roots []*node
	for i := range 3 {
		roots = append(roots, build(i, &mu))
	}
	for i, r := range roots {
		if len(r.next) != 2*i {
			panic("nodes")
		}
		for k, n := range r.next {
			for _, m := range r.next[:k] {
				if m == n || m.in == n.in {
					panic("the same node")
				}
			}
		}
	}
	last := roots[len(roots)-1]
	done := make(chan bool)
	go func() {
		for _, n := range last.next {
			n.in <- 1
		}
		last.in <- 1
		close(done)
	}()
	for _, n := range last.next {
		<-n.in
	}
	<-last.in
	<-done
	last.next[0].mu.Lock()
	last.next[0].mu.Lock() // want "deadlock"
}
