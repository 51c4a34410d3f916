package main

import (
	"context"
	"time"
)

// A moment is no duration.
func main() {
	t := time.NewTimer(time.Second)
	ctx, cancel := context.WithDeadline(context.Background(), time.Now())
	defer cancel()
	<-ctx.Done()
	select {
	case <-t.C:
	default:
		panic("the context was first") // want "panic"
	}
}
