package main

import "sync"

type counter struct {
	sync.Mutex
	n int
}

func (c *counter) add(n int) {
	c.Lock() // want "deadlock"
	c.n += n
	c.Unlock()
}

func main() {
	add := (*counter).add
	c := &counter{}
	add(c, 1)
	c.Lock()
	add(c, 2)
}
