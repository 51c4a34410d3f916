package main

import "sync"

type gate struct {
	mu       sync.Mutex
	state    int
	requests int
}

// enter touches shared memory in its second condition, or does not: the guard
// of the statement is passed in any case.
func (g *gate) enter(state int, first bool) bool {
	if state == 1 {
		return true
	} else if state == 2 && g.requests > 1 {
		return false
	}
	if first || g.state > 0 {
		g.requests++
	}
	return true
}

func main() {
	g := &gate{}
	done := make(chan bool)
	for i := range 3 {
		go func() {
			g.mu.Lock()
			ok := g.enter(i, i == 0)
			g.mu.Unlock()
			done <- ok
		}()
	}
	g.requests++
	for range 3 {
		if !<-done {
			panic("refused") // want "panic"
		}
	}
}
