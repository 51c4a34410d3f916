package main

import "sync"

func work(wg *sync.WaitGroup, fail bool) {
	if fail {
		return
	}
	wg.Done()
}

func main() {
	var wg sync.WaitGroup
	wg.Add(2)
	go work(&wg, false)
	go work(&wg, true)
	wg.Wait() // want "deadlock"
}
