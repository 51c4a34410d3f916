package main

import (
	"os"
	"strings"
	"sync"
)

type store struct {
	mu    sync.Mutex
	names []string
}

// What the command line and the environment hold the model does not know.
func (s *store) first() (v byte) {
	defer func() { recover() }()
	s.mu.Lock()
	v = strings.Split(os.Getenv("NAMES"), ",")[1][0] // under "runtime-panic"
	v += os.Args[1][0]
	s.mu.Unlock()
	return v
}

func main() {
	s := &store{}
	s.first()
	s.mu.Lock() // missed "deadlock"
}
