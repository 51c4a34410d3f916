package main

import (
	"context"
	"errors"
)

func main() {
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(context.Background())
	if context.Cause(ctx) != nil || ctx.Err() != nil {
		panic("not yet")
	}
	go cancel(stop)
	<-ctx.Done()
	if ctx.Err() != context.Canceled || context.Cause(ctx) != stop {
		panic("another cause")
	}
}
