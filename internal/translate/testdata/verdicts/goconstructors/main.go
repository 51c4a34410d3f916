package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"time"
)

// Goroutines and deferred calls of what makes something, which nobody has then.
func main() {
	ctx, cancel := context.WithCancel(context.Background())
	go context.WithCancel(ctx)
	go context.WithTimeout(ctx, time.Second)
	go context.WithValue(ctx, "key", 1)
	go context.WithoutCancel(ctx)
	go signal.NotifyContext(ctx, os.Interrupt)
	go sync.NewCond(&sync.Mutex{})
	go time.NewTimer(time.Second)
	go sync.OnceFunc(func() { panic("never called") })
	var n atomic.Int32
	go n.Add(1)
	for range 2 {
		defer sync.OnceValue(func() int { panic("never called") })
		defer context.WithCancel(ctx)
		defer n.Add(1)
	}
	defer func() {
		cancel()
		if ctx.Value("key") != nil || n.Load() > 1 {
			panic("never")
		}
		<-ctx.Done()
		<-make(chan int) // want "deadlock" // unconfirmed "a signal might end what is stuck"
	}()
}
