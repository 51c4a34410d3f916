package main

import (
	"math/rand"
	"sync"
)

func main() {
	var mu sync.Mutex
	mu.Lock()
	for range 1 + rand.Intn(2) {
		mu.Unlock() // want "unlock of unlocked mutex"
	}
}
