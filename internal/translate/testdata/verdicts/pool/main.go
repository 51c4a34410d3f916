package main

import "sync"

// The jobs are never closed: everybody waits. One error.
func main() {
	jobs := make(chan int, 2)
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range jobs {
			}
		}()
	}
	for i := range 4 {
		jobs <- i
	}
	wg.Wait() // want "deadlock"
}
