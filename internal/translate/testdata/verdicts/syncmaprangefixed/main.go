package main

import "sync"

type hub struct{ subs sync.Map }

func (h *hub) publish(n int) (told int) {
	h.subs.Range(func(_, v any) bool {
		v.(chan int) <- n
		told++
		return told < 1
	})
	return told
}

func main() {
	h := &hub{}
	a, b := make(chan int, 1), make(chan int, 1)
	h.subs.Store("a", a)
	h.subs.Store("b", b)
	if n := h.publish(1); n != 1 {
		panic("not one")
	}
	select {
	case <-a:
	case <-b:
	}
	h.subs.Clear()
	if h.publish(2) != 0 {
		panic("not empty")
	}
}
