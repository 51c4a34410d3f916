package main

import (
	"context"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	done := make(chan bool)
	go func() {
		<-ctx.Done()
		if ctx.Err() != context.Canceled {
			panic("not cancelled")
		}
		close(done)
	}()
	<-done
}
