package main

import "sync/atomic"

func main() {
	var ready atomic.Bool
	c := make(chan int, 1)
	go func() {
		c <- 1
		ready.Store(true)
	}()
	for !ready.Load() {
	}
	<-c
	<-c // want "deadlock"
}
