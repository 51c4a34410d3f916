package main

import "context"

// What is due cannot be stopped any more.
func main() {
	ctx, cancel := context.WithCancel(context.Background())
	called := make(chan bool)
	stop := context.AfterFunc(ctx, func() { called <- true })
	cancel()
	if stop() {
		panic("it is due")
	}
	<-called
	<-called // want "deadlock"
}
