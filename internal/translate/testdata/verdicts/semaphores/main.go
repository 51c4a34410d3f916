package main

import (
	"context"

	"golang.org/x/sync/semaphore"
)

func main() {
	s := semaphore.NewWeighted(2)
	s.Acquire(context.Background(), 2)
	if s.TryAcquire(1) {
		panic("nothing is left")
	}
	go s.Release(1)
	s.Acquire(context.Background(), 1)
	s.Release(2)
}
