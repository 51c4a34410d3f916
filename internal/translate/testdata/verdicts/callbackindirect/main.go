package main

import (
	"context"
	"time"
)

type clock struct {
	after func(time.Duration, func()) *time.Timer
}

// A function that is called later is not seen where what calls it is a value, or is
// called by a go statement.
func main() {
	c := clock{after: time.AfterFunc}
	done := make(chan bool)
	ctx, cancel := context.WithCancel(context.Background())
	wait := func() { <-done }
	defer func() { <-done }()       // want "deadlock"
	t := c.after(time.Second, wait) // under "unknown-call"
	t.Reset(time.Second)            // under "unknown-call"
	later := context.AfterFunc
	stop := later(ctx, wait)             // under "unknown-call"
	stop()                               // under "unknown-call"
	go time.AfterFunc(time.Second, wait) // under "unknown-call"
	defer context.AfterFunc(ctx, wait)
	cancel()
}
