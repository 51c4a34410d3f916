package main

import "sync"

type gate struct {
	mu   sync.Mutex
	cond *sync.Cond
}

func main() {
	g := &gate{}
	g.cond = sync.NewCond(&g.mu)
	go func() {
		g.cond.Signal()
	}()
	g.cond.L.Lock()
	g.cond.Wait() // want "deadlock"
	g.cond.L.Unlock()
}
