package main

import "sync"

type (
	inner struct {
		x int
		sync.Mutex
	}
	outer struct {
		y int
		inner
	}
	outermost struct {
		z, n int
		outer
	}
)

// The lock of a Cond is embedded, at some depth.
func main() {
	var ready [3]bool
	i, o, m := &inner{}, &outer{}, &outermost{}
	c := sync.NewCond(i)
	go func() {
		i.Lock()
		ready[0] = true
		c.Broadcast()
		i.Unlock()
	}()
	i.Lock()
	for !ready[0] {
		c.Wait()
	}
	i.Unlock()
	d := sync.NewCond(o)
	go func() {
		o.Lock()
		ready[1] = true
		d.Broadcast()
		o.Unlock()
	}()
	o.Lock()
	for !ready[1] {
		d.Wait()
	}
	o.Unlock()
	e := sync.NewCond(m)
	go func() {
		m.Lock()
		ready[2] = true
		e.Signal()
		m.Unlock()
	}()
	m.Lock()
	for !ready[2] {
		e.Wait()
	}
	e.Wait() // want "deadlock"
}
