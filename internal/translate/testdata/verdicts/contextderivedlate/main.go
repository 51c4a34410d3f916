package main

import (
	"context"
	"sync"
)

// A context is derived behind many other steps from one that another goroutine may have cancelled long before, or
// cancels later.
func main() {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { cancel() })
	var mu sync.Mutex
	for range 3 {
		mu.Lock()
		mu.Unlock()
	}
	child, stop := context.WithCancel(ctx)
	defer stop()
	<-child.Done()
	wg.Wait()
}
