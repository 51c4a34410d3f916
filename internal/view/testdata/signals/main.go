// Command signals waits for a signal, and then for a reader that does not end.
package main

import "sync"

func main() {
	var mu sync.Mutex
	var settings sync.RWMutex
	var once sync.Once
	signal := sync.NewCond(&mu)
	waiting, results := make(chan int), make(chan int)
	ready := false
	go func() {
		mu.Lock()
		waiting <- 1
		for !ready {
			signal.Wait()
		}
		mu.Unlock()
		once.Do(settings.RLock)
		select {
		case results <- 3:
		case waiting <- 4:
		}
		settings.RUnlock()
	}()
	<-waiting
	mu.Lock()
	ready = true
	signal.Signal()
	mu.Unlock()
	once.Do(settings.RLock)
	settings.Lock()
	<-results
	settings.Unlock()
}
