package main

type task struct {
	c   chan int
	run func() int
}

func call(f func() int) int { return f() }

func main() {
	c := make(chan int)
	go func() {
		for i := range 3 {
			c <- i
		}
		close(c)
	}()
	sum := 0
	for v := range c {
		n := v
		t := &task{run: func() int { n++; return n }}
		sum += call(t.run)
	}
	if sum == 6 {
		panic("as it must be") // want "panic"
	}
	if sum != 6 {
		panic("never")
	}
}
