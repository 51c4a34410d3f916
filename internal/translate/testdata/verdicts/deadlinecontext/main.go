package main

import (
	"context"
	"time"
)

// A context ends before what is armed later for a longer time.
func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	other, stop := context.WithTimeout(ctx, 3*time.Second)
	defer stop()
	<-time.After(2 * time.Second)
	if ctx.Err() == nil || other.Err() == nil {
		panic("the timer was first")
	}
}
