package main

import "sync"

type hub struct {
	mu   sync.Mutex
	subs []chan int
}

func (h *hub) subscribe() chan int {
	c := make(chan int, 1)
	h.mu.Lock()
	h.subs = append(h.subs, c)
	h.mu.Unlock()
	return c
}

func (h *hub) publish(v int) {
	h.mu.Lock()
	subs := make([]chan int, len(h.subs))
	copy(subs, h.subs)
	h.mu.Unlock()
	for _, c := range subs {
		c <- v
	}
}

// unsubscribe lets who publishes finish: the channel is not closed.
func (h *hub) unsubscribe(c chan int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, d := range h.subs {
		if d == c {
			h.subs = append(h.subs[:i], h.subs[i+1:]...)
			break
		}
	}
}

func main() {
	h := &hub{}
	a := h.subscribe()
	b := h.subscribe()
	done := make(chan bool)
	go func() {
		h.publish(1)
		close(done)
	}()
	<-a
	h.unsubscribe(b)
	<-done
	if len(h.subs) != 1 || h.subs[0] != a {
		panic("subscribers")
	}
}
