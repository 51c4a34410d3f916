package main

import "context"

type key int

const (
	resultKey key = iota
	otherKey
)

func worker(ctx context.Context) {
	ctx, cancel := context.WithCancel(context.WithValue(ctx, otherKey, 1))
	defer cancel()
	out, ok := ctx.Value(resultKey).(chan int)
	if !ok {
		panic("no channel")
	}
	select {
	case out <- 1:
	case <-ctx.Done():
	}
}

func main() {
	out := make(chan int)
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), resultKey, out))
	go worker(ctx)
	go cancel()
	<-out // want "deadlock"
}
