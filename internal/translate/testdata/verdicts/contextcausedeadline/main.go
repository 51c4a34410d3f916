package main

import (
	"context"
	"errors"
	"time"
)

var errLate = errors.New("too late")

// The cause of a deadline is not that of a context around that ended before.
func main() {
	parent, stop := context.WithCancel(context.Background())
	stop()
	ctx, cancel := context.WithDeadlineCause(parent, time.Now().Add(time.Hour), errLate)
	defer cancel()
	if <-ctx.Done(); context.Cause(ctx) != context.Canceled {
		panic("cancelled before")
	}
	ctx, cancel = context.WithDeadlineCause(context.Background(), time.Now().Add(time.Millisecond), errLate)
	defer cancel()
	if <-ctx.Done(); context.Cause(ctx) == errLate && ctx.Err() == context.DeadlineExceeded {
		<-make(chan int) // want "deadlock"
	}
}
