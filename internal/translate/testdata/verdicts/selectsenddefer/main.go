package main

import "sync"

type broker struct {
	mu   sync.RWMutex
	subs []chan int
	done chan struct{}
}

func (b *broker) publish(v int) {
	b.mu.RLock()
	defer b.mu.RUnlock() // passed on the way out of the panic
	for _, c := range b.subs {
		select { // want "send on closed channel"
		case c <- v:
		case <-b.done:
			return
		}
	}
}

func main() {
	c, ended := make(chan int, 1), make(chan struct{})
	b := &broker{subs: []chan int{c}, done: make(chan struct{})}
	go func() {
		defer close(ended)
		b.publish(1)
	}()
	close(c)
	<-ended
}
