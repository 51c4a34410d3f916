package main

import "context"

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	c := make(chan int)
	stop := context.AfterFunc(ctx, func() { close(c) }) // under "unknown-call"
	if !stop() {                                        // under "unknown-call"
		panic("it has not been started") // unreal "panic"
	}
	cancel()
	<-c // want "deadlock"
}
