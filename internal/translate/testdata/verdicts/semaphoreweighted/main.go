// searched "bounds"
package main

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"
)

// Each takes its two units one by one: when both have one, both wait for ever.
func main() {
	s := semaphore.NewWeighted(2)
	ctx := context.Background()
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s.Acquire(ctx, 1)
			s.Acquire(ctx, 1)
			s.Release(2)
		}()
	}
	wg.Wait() // want "deadlock"
}
