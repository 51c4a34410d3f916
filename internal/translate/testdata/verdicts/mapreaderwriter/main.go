package main

import "sync"

// The reader of a map does not take the lock that the writer has.
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
	_ = m["a"] // silent "concurrent map access"
	<-done
}
