package main

type tree struct {
	left, right *tree
	v           chan int
}

func (t *tree) walk(out chan int) {
	if t == nil {
		return
	}
	t.left.walk(out)
	out <- <-t.v
	t.right.walk(out)
}

func leaf(v int) *tree {
	t := &tree{v: make(chan int, 1)}
	t.v <- v
	return t
}

func main() {
	root := leaf(2)
	root.left, root.right = leaf(1), leaf(3)
	out := make(chan int)
	go func() {
		root.walk(out)
		close(out)
	}()
	n := 0
	for range out {
		n++
	}
	if n != 3 {
		panic("lost a leaf")
	}
	<-root.v // want "deadlock"
}
