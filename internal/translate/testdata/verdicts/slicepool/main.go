package main

import "sync"

type Pool struct {
	mu   sync.Mutex
	free []int
}

func (p *Pool) Get() int {
	p.mu.Lock()
	if len(p.free) == 0 {
		p.mu.Unlock()
		return p.grow()
	}
	v := p.free[0]
	p.free = p.free[1:]
	p.mu.Unlock()
	return v
}

func (p *Pool) grow() int {
	defer p.mu.Unlock() // want "unlock of unlocked mutex"
	p.free = append(p.free, 1, 2)
	return 0
}

func main() {
	p := &Pool{}
	p.Get()
}
