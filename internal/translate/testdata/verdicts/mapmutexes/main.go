package main

import "sync"

type locks struct {
	mu sync.Mutex
	of map[string]*sync.Mutex
}

func (l *locks) lock(name string) *sync.Mutex {
	l.mu.Lock()
	defer l.mu.Unlock()
	m := l.of[name]
	if m == nil {
		m = new(sync.Mutex)
		l.of[name] = m
	}
	m.Lock() // want "deadlock"
	return m
}

func main() {
	l := &locks{of: map[string]*sync.Mutex{}}
	a := l.lock("a")
	l.lock("b")
	a.Unlock()
	a = l.lock("a")
	l.lock("a")
}
