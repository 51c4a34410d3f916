package main

import (
	"errors"
	"sync"
)

// The model does not keep the entries of a map of these, with all their parts.
type entry struct {
	name, from, to, by, at, host, port, path, user, group, mode, kind, size, seen, last, next string

	err error
}

// The error is looked at with the lock held.
func look(entries map[string]entry, mu *sync.Mutex) {
	err := entries["a"].err
	mu.Lock()
	if err != nil {
		return
	}
	mu.Unlock()
}

func main() {
	var mu sync.Mutex
	look(map[string]entry{"a": {err: errors.New("refused")}}, &mu)
	mu.Lock() // want "deadlock"
}
