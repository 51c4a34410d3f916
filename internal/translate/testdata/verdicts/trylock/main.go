package main

import "sync"

func main() {
	var mu sync.Mutex
	done := make(chan bool)
	go func() {
		mu.Lock()
		done <- true
		mu.Unlock()
	}()
	if !mu.TryLock() {
		<-done
		return
	}
	<-done // want "deadlock"
	mu.Unlock()
}
