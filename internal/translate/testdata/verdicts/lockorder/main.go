package main

import "sync"

type account struct {
	mu      sync.Mutex
	balance int
}

func transfer(a, b *account) {
	a.mu.Lock()
	b.mu.Lock() // want "deadlock"
	a.balance--
	b.balance++
	b.mu.Unlock()
	a.mu.Unlock()
}

func main() {
	x, y := &account{}, &account{}
	go transfer(x, y)
	transfer(y, x)
}
