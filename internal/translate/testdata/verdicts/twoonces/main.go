package main

import "sync"

func main() {
	var a, b sync.Once
	c := make(chan int, 2)
	for range 2 {
		a.Do(func() { c <- 1 })
		b.Do(func() { c <- 2 })
	}
	if <-c+<-c != 3 {
		panic("not once each")
	}
	a.Do(func() { close(c) })
	a = sync.Once{}
	a.Do(func() { c <- 3 })
	b.Do(func() { c <- 4 })
	<-c
	<-c // want "deadlock"
}
