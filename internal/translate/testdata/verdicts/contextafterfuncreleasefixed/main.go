package main

import (
	"context"
	"sync"
)

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
		if ctx.Err() != nil {
			return ctx.Err()
		}
		g.cond.Wait()
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
	<-done
}
