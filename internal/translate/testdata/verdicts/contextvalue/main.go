package main

import "context"

type key struct{}

func main() {
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), key{}, 1))
	done := ctx.Done()
	if ctx.Value(key{}) == nil {
		panic("no value")
	}
	cancel()
	<-done
	<-context.WithoutCancel(ctx).Done() // want "deadlock"
}
