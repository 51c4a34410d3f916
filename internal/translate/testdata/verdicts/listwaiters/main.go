package main

import (
	"container/list"
	"sync"
)

// gate lets waiters through in order.
type gate struct {
	mu      sync.Mutex
	open    bool
	waiters list.List
}

func (g *gate) wait() {
	g.mu.Lock()
	if g.open {
		g.mu.Unlock()
		return
	}
	ready := make(chan struct{})
	g.waiters.PushBack(ready)
	g.mu.Unlock()
	<-ready
}

// release wakes the first waiter only, though the gate is open for all.
func (g *gate) release() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open = true
	if first := g.waiters.Front(); first != nil {
		g.waiters.Remove(first)
		close(first.Value.(chan struct{}))
	}
}

func main() {
	g := &gate{}
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			g.wait()
		}()
	}
	g.release()
	wg.Wait() // want "deadlock"
}
