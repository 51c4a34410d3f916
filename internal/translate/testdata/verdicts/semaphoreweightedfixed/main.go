package main

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"
)

func main() {
	s := semaphore.NewWeighted(2)
	ctx := context.Background()
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s.Acquire(ctx, 2)
			s.Release(2)
		}()
	}
	wg.Wait()
	if !s.TryAcquire(2) {
		panic("all is back")
	}
}
