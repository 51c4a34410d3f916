package main

import (
	"context"
	"sync"
	"sync/atomic"
)

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	done, err := ctx.Done, ctx.Err
	var flag atomic.Bool
	set, get := flag.Store, flag.Load
	var m sync.Map
	store, load := m.Store, (*sync.Map).Load
	if err() != nil || get() {
		panic("not at first")
	}
	store("c", make(chan int))
	go cancel()
	<-done()
	set(true)
	if err() == nil || !get() {
		panic("not at last")
	}
	v, _ := load(&m, "c")
	<-v.(chan int) // want "deadlock"
}
