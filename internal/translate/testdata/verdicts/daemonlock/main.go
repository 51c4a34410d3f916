package main

import "sync"

// Main returns, but two goroutines are stuck for ever on locks.
func main() {
	var a, b sync.Mutex
	done := make(chan bool, 2)
	go func() {
		a.Lock()
		b.Lock() // want "partial deadlock"
		b.Unlock()
		a.Unlock()
		done <- true
	}()
	go func() {
		b.Lock()
		a.Lock() // want "partial deadlock"
		a.Unlock()
		b.Unlock()
		done <- true
	}()
	ready := make(chan bool)
	go func() { ready <- true }()
	<-ready
}
