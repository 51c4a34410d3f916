package main

import "context"

type key int

const resultKey key = 1

func worker(ctx context.Context) {
	out := ctx.Value(resultKey).(chan int)
	select {
	case out <- 1:
	case <-ctx.Done():
		close(out)
	}
}

func main() {
	out := make(chan int)
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), resultKey, out))
	go worker(context.WithValue(ctx, key(2), out))
	go cancel()
	<-out
	if ctx.Value(key(3)) != nil || context.WithoutCancel(ctx).Value(resultKey) != out {
		panic("another value")
	}
}
