package main

import "sync"

func try(f func()) (failed bool) {
	defer func() {
		if r := recover(); r != nil {
			failed = true
		}
	}()
	f()
	return false
}

func main() {
	var mu sync.Mutex
	c := make(chan int)
	close(c)
	if !try(func() {
		mu.Lock()
		defer mu.Unlock()
		close(c)
	}) {
		panic("not recovered")
	}
	if try(func() {}) {
		panic("recovered from nothing")
	}
	mu.Lock()
	c <- 1 // want "send on closed channel"
}
