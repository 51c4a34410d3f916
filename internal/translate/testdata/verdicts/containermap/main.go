package main

import "sync"

type handler interface{ handle() }

type nop struct{}

func (nop) handle() {}

type waiter struct{ c chan int }

func (w *waiter) handle() { <-w.c } // want "deadlock"

type registry struct{ byName sync.Map }

func (r *registry) find(name string) handler {
	if v, ok := r.byName.Load(name); ok {
		return v.(handler)
	}
	return nop{}
}

type server struct{ h handler }

// What comes out of the map goes through a function and a field before it is called.
func main() {
	var r registry
	done := make(chan bool)
	go func() {
		r.byName.Store("x", &waiter{make(chan int)})
		close(done)
	}()
	s := &server{}
	s.h = r.find("x")
	s.h.handle()
	<-done
}
