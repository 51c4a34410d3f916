package main

type future struct {
	done chan struct{}
	v    int
}

func async(f func() int) *future {
	x := &future{done: make(chan struct{})}
	go func() {
		x.v = f()
		close(x.done)
	}()
	return x
}

func (f *future) get() int {
	<-f.done // want "deadlock"
	return f.v
}

func main() {
	a := async(func() int { return 1 })
	b := async(func() int { return a.get() + 1 })
	if a.get()+b.get() != 3 {
		panic("another value")
	}
	var c *future
	ready := make(chan bool)
	c = async(func() int {
		<-ready
		return c.get() // it waits for itself
	})
	close(ready)
	c.get()
}
