// A deadline may pass between two statements that have no guards but for that.
package main

import (
	"context"
	"time"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	if ctx.Err() != nil {
		panic("before it is looked at") // want "panic"
	}
	child, stop := context.WithCancel(ctx)
	cancel()
	if child.Err() == context.DeadlineExceeded {
		panic("before it is cancelled") // want "panic"
	}
	stop()
}
