package main

import (
	"context"
	"errors"
	"time"
)

var errSlow = errors.New("too slow")

func main() {
	ctx, cancel := context.WithTimeoutCause(context.Background(), time.Millisecond, errSlow)
	defer cancel()
	child, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go func() {
		<-child.Done()
		switch context.Cause(child) {
		case errSlow:
		case context.Canceled:
			panic("cancelled") // want "panic"
		default:
			panic("another cause")
		}
	}()
	select {
	case <-child.Done():
		if child.Err() != context.DeadlineExceeded {
			panic("another error")
		}
	default:
		stop(nil)
		<-make(chan int) // want "deadlock"
	}
}
