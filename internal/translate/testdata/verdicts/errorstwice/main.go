package main

import (
	"errors"
	"sync"
)

var errClosed = errors.New("closed")

func fail() error { return errors.New("failed") }

// Two calls of a function that makes an error make two; the error of a package is one.
func main() {
	var wg sync.WaitGroup
	var mu, other sync.Mutex
	first := fail()
	closed := errClosed
	wg.Go(func() {
		mu.Lock()
		second := fail()
		if second == first {
			mu.Unlock()
		}
		other.Lock()
		if closed == errClosed {
			other.Unlock()
		}
	})
	wg.Wait()
	other.Lock()
	mu.Lock() // want "deadlock"
}
