package main

import (
	"context"
	"time"
)

// other is a context that has a deadline of its own.
type other struct{ context.Context }

// A context ends when that does which it is derived from, whatever type that has.
func main() {
	parent, stop := context.WithTimeout(context.Background(), time.Millisecond)
	defer stop()
	t := time.NewTimer(time.Second)
	ctx, cancel := context.WithTimeout(other{parent}, 2*time.Second) // under "context"
	defer cancel()
	<-ctx.Done()
	select {
	case <-t.C:
	default:
		panic("the context was first") // want "panic"
	}
}
