package predictable

import "sync"

// want send on closed channel
func OtherBranchCloses() {
	var m sync.Mutex
	n := 0
	c := make(chan int, 2)
	put := func(v int) {
		m.Lock()
		defer m.Unlock()
		if n == v {
			c <- v
			n++
		} else {
			close(c)
		}
	}
	together(func() { put(0) }, func() { later(1); put(1) })
}

// want nothing
func OtherBranchDoesNothing() {
	var m sync.Mutex
	n := 0
	c := make(chan int, 2)
	put := func(v int) {
		m.Lock()
		defer m.Unlock()
		if n == v {
			c <- v
			n++
		}
	}
	together(func() { put(0) }, func() { later(1); put(1) })
}
