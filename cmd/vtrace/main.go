// Command vtrace finds concurrency errors in Go programs and proves them real.
// Run "vtrace help" for its commands.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
)

// ballastSize is of what is held from the beginning so that the first collections of garbage come later: most commands
// make some ten megabytes, much of it for a moment, and would be collecting for a fifth of their time. Nothing
// touches it, so that it takes no memory.
const ballastSize = 64 << 20

func main() {
	ballast := make([]byte, ballastSize)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	ctx, finish, stop := interruptible(context.Background())
	go func() {
		<-signals
		finish()
		<-signals
		stop()
	}()
	args, err := inDirectory(os.Args[1:])
	if err != nil {
		fmt.Fprintf(os.Stderr, "vtrace: %v\n", err)
		os.Exit(exitUsage)
	}
	code := run(ctx, args, os.Stdout, os.Stderr)
	runtime.KeepAlive(ballast)
	os.Exit(code)
}

// inDirectory obeys -C DIR, which changes the directory of the process, and returns the other
// arguments.
func inDirectory(args []string) ([]string, error) {
	for i, arg := range args[:min(2, len(args))] {
		dir, joined := strings.CutPrefix(arg, "-C=")
		rest := args[min(i+1, len(args)):]
		switch {
		case joined:
		case arg == "-C" && len(rest) == 0:
			return nil, errors.New("-C: no directory is named")
		case arg == "-C":
			dir, rest = rest[0], rest[1:]
		default:
			continue
		}
		if err := os.Chdir(dir); err != nil {
			return nil, fmt.Errorf("-C: %w", err)
		}
		return slices.Concat(args[:i], rest), nil
	}
	return args, nil
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
