package main

import "sync"

// pool numbers those who wait for its one token; who returns it hands it to any
// of them.
type pool struct {
	mu      sync.Mutex
	idle    int
	waiting map[uint64]chan int
	next    uint64
}

func (p *pool) get(quit chan struct{}) bool {
	p.mu.Lock()
	if p.idle > 0 {
		p.idle--
		p.mu.Unlock()
		return true
	}
	ready := make(chan int, 1)
	key := p.next
	p.next++
	p.waiting[key] = ready
	p.mu.Unlock()
	select { // want "deadlock"
	case <-ready:
		return true
	case <-quit:
		p.mu.Lock()
		delete(p.waiting, key)
		p.mu.Unlock()
		return false
	}
}

func (p *pool) put() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for key, ready := range p.waiting {
		delete(p.waiting, key)
		ready <- 1
		return
	}
	p.idle++
}

func main() {
	p := &pool{waiting: map[uint64]chan int{}}
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		if p.get(quit) {
			p.put()
		}
	}()
	close(quit)
	p.put()
	<-done
	p.get(nil) // the token was handed to one who had gone
}
