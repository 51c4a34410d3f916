package main

import (
	"runtime"
	"sync"
)

// What is passed to be called is a method of package sync, or a function of a library.
func main() {
	var once, other, third, fourth sync.Once
	var wg sync.WaitGroup
	var mu sync.Mutex
	wg.Add(2)
	once.Do(wg.Done)
	once.Do(wg.Done)
	done := sync.OnceFunc(wg.Done)
	done()
	done()
	wg.Wait()
	other.Do(mu.Lock)
	third.Do(mu.Unlock)
	fourth.Do(runtime.GC)
	wg.Go(mu.Lock)
	wg.Wait()
	mu.Lock() // want "deadlock"
}
