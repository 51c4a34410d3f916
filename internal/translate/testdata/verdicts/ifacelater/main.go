package main

import "sync"

func try(f func()) (failed bool) {
	defer func() { failed = recover() != nil }()
	f()
	return
}

// The method of a nil interface is found where it is deferred, spawned or taken as a value.
func main() {
	var l sync.Locker
	c := make(chan int, 1)
	if !try(func() { defer l.Unlock(); c <- 1 }) {
		panic("deferred")
	}
	if !try(func() { go l.Lock(); c <- 1 }) {
		panic("spawned")
	}
	if !try(func() { f := l.Lock; c <- 1; f() }) {
		panic("a value")
	}
	<-c // want "deadlock"
}
