package main

import "sync"

type Pool struct {
	mu   sync.Mutex
	free []int
}

func (p *Pool) Get() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) == 0 {
		return p.grow()
	}
	v := p.free[0]
	p.free = p.free[1:]
	return v
}

func (p *Pool) grow() int {
	p.free = append(p.free, 1, 2)
	return 0
}

func main() {
	p := &Pool{}
	for range 3 {
		p.Get()
	}
}
