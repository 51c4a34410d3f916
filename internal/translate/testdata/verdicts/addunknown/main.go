package main

import (
	"os"
	"sync"
)

func work(wg *sync.WaitGroup, n int) {
	wg.Add(n)
	for range n {
		go wg.Done()
	}
	wg.Wait()
}

func main() {
	var wg sync.WaitGroup
	work(&wg, len(os.Args))
}
