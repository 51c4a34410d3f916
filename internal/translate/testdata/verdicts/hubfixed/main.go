package main

import "sync"

// subscribers are numbered by a counter that is a key of a map.
type hub struct {
	mu   sync.Mutex
	subs map[int]chan string
	next int
}

func (h *hub) subscribe() (int, <-chan string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.next++
	c := make(chan string, 1)
	h.subs[h.next] = c
	return h.next, c
}

func (h *hub) unsubscribe(id int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	close(h.subs[id])
	delete(h.subs, id)
}

func (h *hub) publish(s string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.subs {
		select {
		case c <- s:
		default:
		}
	}
}

func main() {
	h := &hub{subs: map[int]chan string{}}
	id, c := h.subscribe()
	done := make(chan bool)
	go func() {
		h.publish("a")
		close(done)
	}()
	h.unsubscribe(id)
	for range c {
	}
	<-done
}
