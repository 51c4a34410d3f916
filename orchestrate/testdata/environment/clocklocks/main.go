package main

import (
	"sync"
	"time"
)

func main() {
	var mu sync.Mutex
	if time.Now().UnixNano()/1000%3 == 0 {
		mu.Lock()
	}
	mu.Lock() // want "deadlock"
	mu.Unlock()
}
