package main

import "sync"

// The first loop counts away from its limit, and ends only when the number wraps around.
func main() {
	var mu sync.Mutex
	done := make(chan bool, 1)
	go func() {
		mu.Lock()
		n := 0
		for i := 1; i > 0; i++ { // assumed "terminates"
			n += i
		}
		for i := 10; i > 0; i-- {
			n += i
		}
		mu.Unlock()
		done <- n > 0
	}()
	<-done
	mu.Lock()
}
