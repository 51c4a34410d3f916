package main

import "sync"

type store interface{ put(v int) }

type base struct {
	mu sync.Mutex
	n  int
}

func (b *base) put(v int) {
	b.mu.Lock() // want "deadlock"
	defer b.mu.Unlock()
	b.n = v
}

// counting adds to the store that it holds, with the store's own lock held.
type counting struct {
	store
	of *base
}

func (c counting) put(v int) {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.store.put(v)
}

func main() {
	b := &base{}
	var s store = b
	s.put(1)
	s = counting{b, b}
	s.put(2)
}
