package main

import (
	"context"
	"time"
)

// What is due at one moment comes in the order in which it was armed, one right behind
// the other.
func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	called := make(chan int, 1)
	f := time.AfterFunc(time.Second, func() { called <- 1 })
	ticks := time.NewTicker(time.Second)
	defer ticks.Stop()
	t := time.NewTimer(time.Second)
	time.Sleep(time.Second)
	if ctx.Err() == nil || f.Stop() {
		panic("the sleep was first")
	}
	<-called
	select {
	case <-t.C:
		select {
		case <-ticks.C:
		default:
			panic("no tick")
		}
	default:
		panic("the timer was last")
	}
}
