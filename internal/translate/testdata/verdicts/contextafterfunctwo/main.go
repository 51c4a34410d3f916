package main

import (
	"context"
	"sync"
	"sync/atomic"
)

// Two goroutines hand over a callback each at the same place, in another order than that in which they have passed the guard
// before, and wait for their own.
func main() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var mu sync.Mutex
	var calls atomic.Int32
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			calls.Add(1)
			take(ctx, &mu)
			calls.Add(1)
		})
	}
	wg.Wait()
	if calls.Load() == 4 {
		<-make(chan int) // want "deadlock"
	}
}

func take(ctx context.Context, mu *sync.Mutex) {
	woken := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(woken)
		mu.Lock()
		defer mu.Unlock()
	})
	if !stop() {
		<-woken
	}
}
