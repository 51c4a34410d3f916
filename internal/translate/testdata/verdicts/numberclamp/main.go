package main

import (
	"os"
	"strconv"
	"sync"
)

func workers() int {
	n, err := strconv.Atoi(os.Getenv("WORKERS"))
	switch {
	case err != nil || n <= 0:
		return 1
	case n > 5:
		panic("too many workers") // want "panic" // unconfirmed "another run may have another environment"
	}
	return n
}

func main() {
	n := workers()
	out := make(chan int, n)
	var wg sync.WaitGroup
	wg.Add(n)
	for i := range n {
		go func() {
			defer wg.Done()
			out <- i
		}()
	}
	wg.Wait()
	for range n {
		<-out
	}
}
