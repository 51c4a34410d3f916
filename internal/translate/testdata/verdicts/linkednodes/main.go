package main

import "sync"

// A list of new nodes: pointers in memory that may be nil or one of several
// nodes are followed.

type node struct {
	key  string
	prev *node
	next *node
}

type list struct {
	mu    sync.Mutex
	nodes map[string]*node
	head  *node
	gone  chan string
}

func (l *list) put(k string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.nodes[k]; ok {
		return
	}
	if len(l.nodes) >= 1 {
		var old *node
		for e := l.head; e != nil; e = e.next {
			old = e
		}
		if old != nil {
			delete(l.nodes, old.key)
			if old.prev != nil {
				old.prev.next = nil
			} else {
				l.head = nil
			}
			l.gone <- old.key
		}
	}
	e := &node{key: k, next: l.head}
	if l.head != nil {
		l.head.prev = e
	}
	l.head = e
	l.nodes[k] = e
}

func main() {
	l := &list{nodes: map[string]*node{}, gone: make(chan string)}
	var wg sync.WaitGroup
	for _, k := range []string{"a", "b"} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			l.put(k)
		}()
	}
	wg.Wait() // want "deadlock"
}
