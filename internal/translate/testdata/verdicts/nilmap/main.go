package main

import "sync"

type table struct {
	mu sync.Mutex
	m  map[string]int
}

func (t *table) put(k string) {
	defer func() { recover() }()
	t.mu.Lock() // want "deadlock"
	t.m[k] = 1
	t.mu.Unlock()
}

func main() {
	t := &table{}
	t.put("a")
	t.put("b")
}
