package main

import (
	"sync"
	"sync/atomic"
)

func main() {
	var state atomic.Int32
	c := make(chan int)
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if state.CompareAndSwap(0, 1) {
				close(c)
			}
		}()
	}
	wg.Wait()
	<-c
	if state.Swap(5) != 1 || state.Add(-5) != 0 {
		panic("another state")
	}
}
