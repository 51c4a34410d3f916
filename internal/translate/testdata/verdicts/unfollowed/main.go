package main

import (
	"reflect"
	"sync"
)

// What comes out of reflection is known to nobody. The model ends where something is done with it, and only there.
func same[T any](v T) T {
	r := reflect.ValueOf(v)  // under "unknown-call"
	return r.Interface().(T) // unreal "panic"
}

type box struct {
	mu   sync.Mutex
	done chan int
}

func main() {
	c := make(chan int)
	go func() {
		b := same(&box{})
		b.mu.Lock() // unreal "bound exceeded"
		b.mu.Unlock()
	}()
	go func() {
		b := same(&box{})
		close(b.done) // unreal "bound exceeded"
	}()
	go func() {
		var of sync.Locker = same(&sync.Mutex{})
		cond := sync.NewCond(of)
		cond.L.Lock() // unreal "bound exceeded"
		cond.Wait()
	}()
	go func() {
		cond := sync.NewCond(same(sync.Locker(&sync.Mutex{})))
		cond.Wait() // unreal "bound exceeded"
	}()
	<-c
}
