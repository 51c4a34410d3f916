package main

import (
	"context"
	randv2 "math/rand/v2"
	"time"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	result := make(chan int)
	go func() {
		time.Sleep(randv2.N(100 * time.Millisecond))
		result <- 1
	}()
	select {
	case <-result:
	case <-ctx.Done():
		panic(ctx.Err()) // want "panic"
	}
}
