package main

import "sync"

type handler interface{ handle() }

type nop struct{}

func (nop) handle() {}

type waiter struct{ c chan int }

func (w *waiter) handle() { <-w.c } // want "deadlock"

func find(m *sync.Map, name string) handler {
	if v, ok := m.Load(name); ok {
		return v.(handler)
	}
	return nop{}
}

// What puts values into the map is a value itself.
func main() {
	var m sync.Map
	done := make(chan bool)
	put := m.Store
	go func() {
		put("x", &waiter{make(chan int)})
		close(done)
	}()
	find(&m, "x").handle()
	<-done
}
