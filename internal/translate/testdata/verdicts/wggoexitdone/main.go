package main

import (
	"runtime"
	"sync"
)

// So it is if the function ends its goroutine. Which of the wait groups it is depends on what
// came first.
func main() {
	var wgs [2]sync.WaitGroup
	c := make(chan int, 2)
	go func() { c <- 0 }()
	go func() { c <- 1 }()
	i := <-c
	wgs[i].Go(func() { // want "negative WaitGroup counter"
		if i == 1 {
			wgs[i].Done()
		}
		runtime.Goexit()
	})
	wgs[i].Wait()
}
