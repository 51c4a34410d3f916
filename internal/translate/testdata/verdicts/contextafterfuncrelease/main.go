package main

import (
	"context"
	"sync"
)

// A waiter that gives up when its context ends, as the documentation of
// AfterFunc has it.
type gate struct {
	mu   sync.Mutex
	cond *sync.Cond
	open bool
}

func (g *gate) wait(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.cond.Broadcast()
	})
	defer stop()
	g.mu.Lock()
	defer g.mu.Unlock()
	for !g.open {
		g.cond.Wait()
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

func main() {
	g := &gate{}
	g.cond = sync.NewCond(&g.mu)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- g.wait(ctx) }()
	cancel()
	<-done // want "deadlock"
}
