package main

import (
	"os"
	"sync"
)

// Panics that leave out nothing of the concurrency: deferred calls run both
// ways, and what is not recovered ends the program.
func first(mu *sync.Mutex, args []string, n int) (v int) {
	defer func() {
		if r := recover(); r != nil {
			println("recovered")
		}
	}()
	mu.Lock()
	defer mu.Unlock()
	v = len(args[n]) / n
	for i := range args {
		v += len(args[i])
	}
	return v
}

func main() {
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			first(&mu, os.Args, len(os.Args))
		}()
	}
	wg.Wait()
	mu.Lock()
	println(os.Args[len(os.Args)-1])
	mu.Unlock()
}
