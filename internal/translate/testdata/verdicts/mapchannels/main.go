package main

import "sync"

type hub struct {
	mu     sync.Mutex
	routes map[string]chan int
	seen   map[int]bool
}

func (h *hub) route(name string) (chan int, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	ch, ok := h.routes[name]
	return ch, ok
}

func (h *hub) add(name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.routes[name]; !ok {
		h.routes[name] = make(chan int, 1)
	}
}

func main() {
	h := &hub{routes: map[string]chan int{}, seen: map[int]bool{1: true, 2: false}}
	h.add("a")
	h.add("b")
	h.add("b")
	a, ok := h.route("a")
	if !ok || len(h.routes) != 2 || !h.seen[1] || h.seen[2] {
		panic("the routes")
	}
	go func() { a <- 1 }()
	<-a
	delete(h.routes, "a")
	if _, ok := h.route("a"); ok {
		panic("a deleted route")
	}
	n := 0
	for _, ch := range h.routes {
		n++
		close(ch)
	}
	if n != 1 {
		panic("one is left")
	}
	c, _ := h.route("c")
	<-c // want "deadlock"
}
