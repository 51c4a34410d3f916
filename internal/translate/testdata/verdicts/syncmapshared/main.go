package main

import "sync"

// A sync.Map changes from one call of its methods to the next.
func main() {
	var m sync.Map
	go func() { m.Store("a", 1) }()
	_, a := m.Load("a")
	_, b := m.Load("a")
	if a != b {
		panic("it has come in between") // want "panic"
	}
}
