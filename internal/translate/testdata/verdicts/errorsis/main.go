package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

var (
	errClosed = errors.New("closed")
	errFull   = errors.New("full")
)

type queue struct {
	mu     sync.Mutex
	items  []int
	closed bool
}

func (q *queue) put(v int) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.closed:
		return fmt.Errorf("put %d: %w", v, errClosed)
	case len(q.items) == 1:
		return fmt.Errorf("put %d: %w", v, errFull)
	}
	q.items = append(q.items, v)
	return nil
}

func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
}

// wait gives up after a time. What it sends it has sent if the queue was closed.
func wait(ctx context.Context, out chan error) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	select {
	case err := <-out:
		if errors.Is(err, errFull) {
			return err
		}
		<-out // want "deadlock"
		return nil
	case <-ctx.Done():
		if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			<-out // never
		}
		return ctx.Err()
	}
}

func main() {
	q := &queue{}
	out := make(chan error, 1)
	q.put(1)
	go q.close()
	go func() { out <- q.put(2) }()
	if err := wait(context.Background(), out); errors.Is(err, errClosed) {
		panic("never")
	}
}
