package main

import (
	"context"
	"time"
)

// A sleep may be over before a shorter time is over that has begun later.
func main() {
	begun := make(chan int, 1)
	made := make(chan context.Context, 1)
	go func() {
		time.Sleep(100 * time.Millisecond)
		if ctx := <-made; ctx.Err() == nil {
			panic("the sleep was first") // want "panic"
		}
	}()
	begun <- 1
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	made <- ctx
	<-ctx.Done()
}
