package copylocked

import (
	"sync"
	"testing"
)

type counter struct {
	mu sync.Mutex
	n  int
}

func (c counter) inc() {
	c.mu.Lock() // want "deadlock"
	c.n++
	c.mu.Unlock()
}

func TestProgram(t *testing.T) {
	var c counter
	c.mu.Lock()
	c.inc()
	c.mu.Unlock()
}
