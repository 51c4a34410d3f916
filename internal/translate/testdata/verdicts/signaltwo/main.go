package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
)

// Signals come to the channels that are told to, and to no others, if they have room.
func main() {
	none := make(chan os.Signal)
	signal.Notify(none, os.Interrupt) // under "unknown-call"
	a, b := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(a, os.Interrupt)
	signal.Notify(b, os.Interrupt)
	signal.Stop(a)
	select {
	case <-a:
		return // before Stop
	default:
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	select {
	case <-a:
		panic("it is stopped")
	case <-b:
		<-b
		<-a // want "deadlock" // unconfirmed "no signal comes in a run"
	case <-ctx.Done():
		if context.Cause(ctx) == nil || errors.Is(context.Cause(ctx), context.Canceled) {
			panic("another cause")
		}
	}
}
