package main

import "sync"

// A round begins while the waiter of the one before has not returned.
func main() {
	var wg sync.WaitGroup
	done := make(chan bool)
	wg.Add(1)
	go func() {
		wg.Wait() // silent "WaitGroup misuse"
		close(done)
	}()
	wg.Done()
	wg.Add(1)
	wg.Done()
	<-done
}
