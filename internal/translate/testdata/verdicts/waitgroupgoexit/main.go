package main

import (
	"runtime"
	"sync"
)

// A goroutine that WaitGroup.Go has started is done also when Goexit ends it.
func main() {
	var wg sync.WaitGroup
	c := make(chan int)
	wg.Go(func() {
		defer close(c)
		runtime.Goexit()
	})
	wg.Wait()
	<-c
	wg.Add(1)
	wg.Wait() // want "deadlock"
}
