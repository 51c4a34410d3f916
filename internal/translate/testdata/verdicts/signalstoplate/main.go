package main

import (
	"os"
	"os/signal"
	"sync"
)

// Signals are asked for behind many other steps, and another goroutine may end that, then or before: who waits for one
// may wait for ever.
func main() {
	c := make(chan os.Signal, 1)
	var wg sync.WaitGroup
	wg.Go(func() { signal.Stop(c) })
	var mu sync.Mutex
	for range 3 {
		mu.Lock()
		mu.Unlock()
	}
	signal.Notify(c, os.Interrupt)
	wg.Wait()
	<-c // want "deadlock"
}
