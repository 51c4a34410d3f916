package main

import "sync"

type counter struct {
	sync.Mutex
	n int
}

func (c *counter) add(n int) {
	c.Lock()
	c.n += n
	c.Unlock()
}

func main() {
	add := (*counter).add
	c := &counter{}
	add(c, 1)
	add(c, 2)
	if c.n != 3 {
		panic("lost")
	}
}
