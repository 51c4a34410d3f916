package main

import "sync"

type entry struct {
	c     chan int
	ready bool
}

func main() {
	var mu sync.Mutex
	m := map[int]entry{1: {make(chan int, 1), true}}
	e := m[1]
	e.ready = false // of the copy
	if !m[1].ready {
		panic("the map has the copy")
	}
	e.c <- 1
	m[1] = e
	if m[1].ready {
		mu.Lock()
	}
	<-m[1].c
	mu.Lock()
	<-m[1].c // want "deadlock"
}
