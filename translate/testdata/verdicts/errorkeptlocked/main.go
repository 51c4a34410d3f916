package main

import (
	"os"
	"sync"
)

// Whether a file was opened is looked at with the lock held.
func look(mu *sync.Mutex) {
	f, err := os.Open("there is no such file")
	mu.Lock()
	if err != nil {
		return
	}
	f.Close()
	mu.Unlock()
}

func main() {
	var mu sync.Mutex
	look(&mu)
	mu.Lock() // want "deadlock"
}
