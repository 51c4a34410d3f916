package main

import (
	"sync"
)

type buffer struct {
	used bool
	c    chan int
}

func main() {
	pool := sync.Pool{New: func() any { return &buffer{c: make(chan int, 1)} }}
	var wg sync.WaitGroup
	for range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			b := pool.Get().(*buffer)
			if b.used {
				close(b.c) // want "close of closed channel"
			}
			b.used = true
			pool.Put(b)
			pool.Put(b)
		}()
	}
	wg.Wait()
}
