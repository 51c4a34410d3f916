package main

import (
	"os"
	"strings"
	"sync"
)

type node struct {
	next *node
	any  any
	name string
}

type store struct {
	mu    sync.Mutex
	nodes []*node
}

// What is not known cannot be seen to fail: a type that an interface does not hold, a
// part of a text, a pointer of a library's.
func (s *store) walk(v any, i int) (out bool) {
	defer func() { recover() }()
	s.mu.Lock()
	text := strings.Repeat("a", i) // under "runtime-panic"
	n := v.(*node)
	out = text[i:] == n.next.name
	s.mu.Unlock()
	return out
}

func main() {
	s := &store{}
	info, err := os.Stat(".")
	if err != nil {
		return
	}
	s.walk(info.Sys(), len(os.Args)) // under "unknown-call"
	s.mu.Lock()                      // missed "deadlock"
}
