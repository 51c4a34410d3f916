package main

import "sync"

var mu sync.Mutex

func sum(list []int) (n int) {
	defer func() { _ = recover() }()
	mu.Lock()
	for i := 0; i <= len(list); i++ {
		n += list[i]
	}
	mu.Unlock()
	return n
}

func main() {
	list := []int{1, 2}
	sum(list)
	mu.Lock() // want "deadlock"
}
