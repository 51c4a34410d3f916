package main

import "context"

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	c := make(chan int)
	stop := context.AfterFunc(ctx, func() { close(c) })
	if !stop() {
		panic("it has not been started")
	}
	cancel()
	<-c // want "deadlock"
}
