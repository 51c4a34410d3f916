package main

import (
	"sync"
	"sync/atomic"
)

func main() {
	var n atomic.Int32
	var m int64
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			n.Add(1)
			atomic.AddInt64(&m, 2)
			wg.Done()
		}()
	}
	wg.Wait()
	if n.Load() != 2 || atomic.LoadInt64(&m) != 4 {
		panic("lost")
	}
}
