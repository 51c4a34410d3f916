package main

import "sync"

// A function that WaitGroup.Go runs is counted down when it returns, whether or not it has
// called Done itself.
func main() {
	var once, twice sync.WaitGroup
	once.Add(1)
	once.Go(once.Done)
	once.Wait()
	twice.Go(twice.Done) // want "negative WaitGroup counter"
	twice.Wait()
}
