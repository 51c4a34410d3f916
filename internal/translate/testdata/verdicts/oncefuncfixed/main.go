package main

import "sync"

type door struct {
	closed chan int
	shut   func()
}

func newDoor() *door {
	d := &door{closed: make(chan int)}
	d.shut = sync.OnceFunc(func() { close(d.closed) })
	return d
}

func main() {
	d := newDoor()
	size := sync.OnceValue(func() int { d.shut(); return 1 })
	go d.shut()
	defer d.shut()
	size()
	<-d.closed
	var again func()
	again = sync.OnceFunc(func() { <-d.closed })
	again()
}
