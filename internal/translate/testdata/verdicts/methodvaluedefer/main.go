package main

import "sync"

type guard struct{ mu sync.Mutex }

func (g *guard) with(f func()) {
	g.mu.Lock()
	unlock := g.mu.Unlock
	defer unlock()
	f()
}

func main() {
	g := &guard{}
	g.with(func() {})
	// The value is bound when the defer statement runs, not when it is called.
	h := &guard{}
	func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h = g
	}()
	h.mu.Lock()
	g.mu.Lock() // want "deadlock"
}
