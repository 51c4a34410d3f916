package main

import "sync"

type hub struct{ subs sync.Map }

func (h *hub) add(name string, c chan int) { h.subs.Store(name, c) }

func (h *hub) publish(n int) {
	h.subs.Range(func(_, v any) bool {
		v.(chan int) <- n // want "deadlock"
		return true
	})
}

func main() {
	h := &hub{}
	a := make(chan int)
	h.add("a", a)
	go func() { <-a }()
	h.publish(1)
	h.publish(2)
}
