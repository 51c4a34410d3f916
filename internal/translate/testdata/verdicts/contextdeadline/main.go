package main

import (
	"context"
	"time"
)

func main() {
	ctx, cancel := context.WithDeadline(context.Background(), time.Now().Add(time.Second))
	defer cancel()
	c := make(chan int)
	select {
	case <-c:
	case <-ctx.Done():
		if ctx.Err() != context.DeadlineExceeded {
			panic("another error")
		}
	}
	<-c // want "deadlock"
}
