package main

import "sync"

// Who recovers from a counter below zero has one below zero: the next that is counted makes it zero, and nobody waits for
// that one.
func main() {
	var wg sync.WaitGroup
	counted := make(chan int)
	func() {
		defer func() { recover() }()
		wg.Done()
		close(counted)
	}()
	wg.Add(1)
	wg.Wait()
	<-counted // want "deadlock"
}
