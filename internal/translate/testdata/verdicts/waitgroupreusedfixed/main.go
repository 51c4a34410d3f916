package main

import "sync"

// A round begins when the waiter of the one before has returned.
func main() {
	var wg sync.WaitGroup
	done := make(chan bool)
	wg.Add(1)
	go func() {
		wg.Wait()
		close(done)
	}()
	wg.Done()
	<-done
	wg.Add(1)
	wg.Done()
}
