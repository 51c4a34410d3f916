package main

import "sync"

func try(f func()) (failed bool) {
	defer func() { failed = recover() != nil }()
	f()
	return
}

func main() {
	var mu sync.Mutex
	var l sync.Locker = &mu
	c := make(chan int, 3)
	if try(func() { mu.Lock(); defer l.Unlock(); c <- 1 }) {
		panic("deferred")
	}
	if try(func() { go l.Lock(); c <- 1 }) {
		panic("spawned")
	}
	<-c
	<-c
}
