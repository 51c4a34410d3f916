package main

import "sync"

// The reader of a map takes the lock that the writer has.
func main() {
	m := map[string]int{"a": 1}
	var mu sync.Mutex
	done := make(chan bool)
	go func() {
		mu.Lock()
		m["a"] = 2
		mu.Unlock()
		close(done)
	}()
	mu.Lock()
	_ = m["a"]
	mu.Unlock()
	<-done
}
