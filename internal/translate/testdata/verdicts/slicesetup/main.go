package main

import "sync"

// What is set up under a lock, before there are goroutines, is known exactly: the
// hub has two subscribers.
type hub struct {
	mu   sync.Mutex
	subs []chan int
}

func (h *hub) subscribe() chan int {
	c := make(chan int)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.subs = append(h.subs, c)
	return c
}

func (h *hub) publish(v int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.subs {
		c <- v
	}
}

func main() {
	h := &hub{}
	a, b := h.subscribe(), h.subscribe()
	if len(h.subs) != 2 || h.subs[0] != a {
		panic("subscribers")
	}
	go h.publish(1)
	<-b // want "deadlock"
	<-a
}
