package main

import "context"

// The function may have been started when it is stopped.
func main() {
	ctx, cancel := context.WithCancel(context.Background())
	called := make(chan bool)
	stop := context.AfterFunc(ctx, func() { close(called) })
	go cancel()
	if !stop() {
		<-called
		return
	}
	<-called // want "deadlock"
}
