package main

import "sync"

func main() {
	var mu sync.Mutex
	done := make(chan bool)
	go func() {
		mu.Lock()
		mu.Unlock()
		done <- true
	}()
	if mu.TryLock() {
		mu.Unlock()
	}
	<-done
}
