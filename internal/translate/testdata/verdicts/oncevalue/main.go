package main

import "sync"

func main() {
	c := make(chan int, 1)
	get := sync.OnceValue(func() chan int {
		c <- 1
		return c
	})
	get()
	if <-get() != 1 { // unreal "bound exceeded"
		panic("another value")
	}
	two := sync.OnceValues(func() (chan int, error) { return make(chan int), nil })
	a, _ := two()
	b, _ := two()
	if a != b {
		panic("made twice")
	}
	<-a
}
