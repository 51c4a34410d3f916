package main

import "sync"

// A pool without a function New gives nil, if there is nothing in it; nil is not put in.
func main() {
	var p sync.Pool
	if p.Get() != nil {
		panic("nothing is in it")
	}
	var none any
	p.Put(none)
	if p.Get() != nil {
		panic("nothing is in it")
	}
	type box struct{ c chan int }
	made := 0
	q := sync.Pool{New: func() any { made++; return &box{make(chan int)} }}
	q.Put(none)
	q.Get()
	if made != 1 {
		panic("New makes it")
	}
	b := &box{make(chan int, 1)}
	q.Put(b)
	first, second := q.Get().(*box), q.Get().(*box)
	if first == second || second == b && made == 1 {
		panic("one is handed out once")
	}
	if first == b {
		first.c <- 1
	}
	second.c <- 1 // want "deadlock"
}
