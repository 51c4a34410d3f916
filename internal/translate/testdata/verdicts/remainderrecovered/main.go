package main

import "sync"

func part(mu *sync.Mutex, a, b int) (n int) {
	defer func() { recover() }()
	mu.Lock()
	n = a % b
	mu.Unlock()
	return n
}

func main() {
	var mu sync.Mutex
	part(&mu, 5, 0)
	mu.Lock() // want "deadlock"
}
