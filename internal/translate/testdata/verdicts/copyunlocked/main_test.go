package copyunlocked

import (
	"sync"
	"testing"
)

type counter struct {
	mu sync.Mutex
	n  int
}

func (c counter) inc() {
	c.mu.Lock()
	c.n++
	c.mu.Unlock()
}

func TestProgram(t *testing.T) {
	var c counter
	c.inc()
	c.mu.Lock()
	d := c
	d.mu.Unlock()
	c.mu.Unlock()
	d.mu.Lock()
}
