package main

import (
	"context"
	"time"
)

// A context that is cancelled keeps nobody waiting, nor do those derived from it.
func main() {
	parent, cancel := context.WithCancel(context.Background())
	ctx, stop := context.WithTimeout(parent, time.Second)
	defer stop()
	t := time.After(2 * time.Second)
	cancel()
	<-ctx.Done()
	if ctx.Err() == context.Canceled {
		<-t
		panic("the timer is over") // want "panic"
	}
}
