package main

import (
	"os"
	"sync"
)

func work(wg *sync.WaitGroup, n int) {
	wg.Add(n)
	for range n {
		go wg.Done() // unreal "bound exceeded" "negative WaitGroup counter"
	}
	wg.Wait() // unreal "deadlock"
}

func main() {
	var wg sync.WaitGroup
	work(&wg, len(os.Args))
}
