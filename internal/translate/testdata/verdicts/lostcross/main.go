package main

import "sync"

// Each reads what the other writes: both may have read before either writes. A
// read lock does not help.

var (
	mu   sync.RWMutex
	x, y int
)

func main() {
	done := make(chan bool)
	go func() {
		mu.RLock()
		x = y + 1
		mu.RUnlock()
		done <- true
	}()
	mu.RLock()
	y = x + 1
	mu.RUnlock()
	<-done
	if x == 1 && y == 1 {
		panic("both read too early") // want "panic"
	}
}
