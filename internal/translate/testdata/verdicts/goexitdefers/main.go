package main

import (
	"runtime"
	"sync"
)

func main() {
	var mu sync.Mutex
	done := make(chan bool)
	go func() {
		defer close(done)
		defer func() {
			if recover() != nil {
				panic("Goexit is no panic")
			}
		}()
		mu.Lock()
		runtime.Goexit()
		mu.Unlock()
	}()
	<-done
	mu.Lock() // want "deadlock"
}
