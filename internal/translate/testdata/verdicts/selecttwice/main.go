package main

// Two cases on one channel: a send and a receive of one goroutine do not meet
// each other, and two receives are both possible.
func main() {
	c := make(chan int)
	d := make(chan int, 1)
	go func() { c <- 1 }()
	select {
	case <-c:
		d <- 1
	case <-c:
		d <- 2
	}
	if <-d == 2 {
		panic("the second case") // want "panic"
	}
	select { // want "deadlock"
	case c <- 1:
	case <-c:
	}
}
