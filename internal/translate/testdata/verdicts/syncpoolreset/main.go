package main

import "sync"

type buffer struct {
	mu sync.Mutex
	c  chan int
}

var pool = sync.Pool{New: func() any { return &buffer{c: make(chan int, 1)} }}

func use(done chan<- bool) {
	b := pool.Get().(*buffer)
	b.mu.Lock()
	b.c <- 1
	<-b.c
	b.mu.Unlock()
	pool.Put(b)
	done <- true
}

func main() {
	done := make(chan bool)
	go use(done)
	use2 := func() { use(done) }
	go use2()
	<-done
	<-done
}
