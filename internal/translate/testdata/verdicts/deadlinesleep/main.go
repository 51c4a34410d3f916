package main

import (
	"context"
	"time"
)

// A sleep is over when a shorter time is over that has begun before.
func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	done := make(chan int, 1)
	go func() {
		time.Sleep(100 * time.Millisecond)
		if ctx.Err() == nil {
			panic("the sleep was first")
		}
		done <- 1
	}()
	<-done
}
