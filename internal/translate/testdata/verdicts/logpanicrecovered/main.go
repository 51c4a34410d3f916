// Package main recovers a panic of package log, which leaves a mutex locked.
package main

import (
	"log"
	"sync"
)

func main() {
	var mu sync.Mutex
	func() {
		defer func() { recover() }()
		mu.Lock()
		log.Panic("over")
		mu.Unlock()
	}()
	mu.Lock() // want "deadlock"
}
