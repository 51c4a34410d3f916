package main

import (
	"sync"
	"time"
)

func main() {
	var mu sync.Mutex
	if time.Now().UnixNano()/1000%3 == 0 { // limit "the clock decides as a number, of which a run has one (a condition)"
		mu.Lock()
	}
	mu.Lock() // want "deadlock"
	mu.Unlock()
}
