package main

// Pointers to channels, fields, elements, functions and pointers.
type node struct {
	c  chan int
	cs [2]chan int
}

func main() {
	n := node{}
	pc, pe := &n.c, &n.cs[1]
	*pc = make(chan int, 1)
	*pe = make(chan int, 1)
	pp := &pc
	**pp <- 1
	<-n.c
	f := func(c *chan int) { *c = nil }
	pf := &f
	(*pf)(pe)
	if n.cs[1] != nil {
		panic("not the element")
	}
	select {
	case n.cs[1] <- 1:
		panic("nil is ready")
	case **pp <- 2:
	}
	*pp = &n.cs[0]
	**pp <- 3 // want "deadlock"
}
