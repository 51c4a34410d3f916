package main

import "context"

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	c := make(chan int)
	context.AfterFunc(ctx, func() { close(c) })
	cancel()
	<-c
}
