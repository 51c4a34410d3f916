package main

import (
	"sync"
)

func main() {
	type node struct{ id int }
	nodes := map[*node]bool{}
	a, b := &node{1}, &node{2}
	nodes[a] = true
	nodes[b] = true
	var mu sync.Mutex
	for n := range nodes {
		mu.Lock()
		if n.id == 2 {
			mu.Lock() // want "deadlock"
		}
		break
	}
}
