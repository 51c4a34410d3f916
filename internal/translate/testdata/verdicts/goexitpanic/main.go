package main

import (
	"runtime"
	"sync"
)

// The panic is recovered from, and Goexit goes on.
func leaves() {
	defer func() { _ = recover() }()
	defer func() { panic("within") }()
	runtime.Goexit()
}

func main() {
	var wg sync.WaitGroup
	c := make(chan int)
	wg.Go(func() {
		leaves()
		<-c
	})
	wg.Wait()
}
