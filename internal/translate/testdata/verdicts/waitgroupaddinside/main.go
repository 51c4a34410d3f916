package main

import "sync"

// Goroutines add themselves, while somebody waits already.
func main() {
	var wg sync.WaitGroup
	for range 2 {
		go func() {
			wg.Add(1) // silent "WaitGroup misuse"
			wg.Done()
		}()
	}
	wg.Wait() // silent "WaitGroup misuse"
}
