package p

import (
	"sync"
	"testing"
	"time"
)

type cache struct {
	mu         sync.RWMutex
	items      map[string]int
	stop, done chan struct{}
}

func newCache() *cache {
	c := &cache{items: map[string]int{}, stop: make(chan struct{}), done: make(chan struct{})}
	go c.janitor()
	return c
}

func (c *cache) janitor() {
	defer close(c.done)
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			c.mu.Lock()
			clear(c.items)
			c.mu.Unlock()
		case <-c.stop:
			return
		}
	}
}

func (c *cache) get(k string) int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.items[k]
}

func (c *cache) close() {
	close(c.stop)
	<-c.done
}

func TestProgram(t *testing.T) {
	c := newCache()
	c.get("a")
	c.close()
}
