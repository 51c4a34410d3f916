package main

import (
	"sync"
	"sync/atomic"
)

type config struct {
	mu   *sync.Mutex
	stop chan struct{}
}

var current atomic.Value

func main() {
	if current.Load() != nil {
		panic("not empty")
	}
	current.Store(config{&sync.Mutex{}, make(chan struct{})})
	done := make(chan bool)
	go func() {
		c := current.Load().(config)
		c.mu.Lock()
		close(c.stop)
		c.mu.Unlock()
		done <- true
	}()
	c := current.Load().(config)
	<-c.stop
	<-done
	c.mu.Lock()
	old := current.Swap(config{&sync.Mutex{}, nil}).(config)
	old.mu.Lock() // want "deadlock"
}
