package main

import "sync"

var (
	once sync.Once
	c    chan int
)

func get() chan int {
	once.Do(func() { c = make(chan int, 1) })
	return c
}

func main() {
	go func() { get() <- 1 }()
	if <-get() != 1 {
		panic("value")
	}
}
