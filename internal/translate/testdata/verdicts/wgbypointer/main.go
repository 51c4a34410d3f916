package main

import "sync"

func work(wg *sync.WaitGroup) { defer wg.Done() }

func main() {
	var wg sync.WaitGroup
	wg.Add(1)
	go work(&wg)
	wg.Wait()
}
