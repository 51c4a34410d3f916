// Command vtrace finds concurrency errors in Go programs and proves them real.
// Run "vtrace help" for its commands.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	ctx, finish, stop := interruptible(context.Background())
	go func() {
		<-signals
		finish()
		<-signals
		stop()
	}()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// outer is the key of the context that only a second interrupt ends.
type outer struct{}

// interruptible returns a context that finish ends, for commands that have nothing to
// show then. Those that have go on until they have shown it, or stop is called.
func interruptible(ctx context.Context) (_ context.Context, finish, stop context.CancelFunc) {
	hard, stop := context.WithCancel(ctx)
	soft, finish := context.WithCancel(context.WithValue(hard, outer{}, hard))
	return soft, finish, stop
}

// hard is the context of work that ends early by itself when that of the call does.
func (c *call) hard() context.Context {
	if ctx, ok := c.ctx.Value(outer{}).(context.Context); ok {
		return ctx
	}
	return c.ctx
}
