// The Locker for reading of an RWMutex, kept as a value of any type.
package main

import "sync"

func main() {
	var mu sync.RWMutex
	var v any = mu.RLocker()
	if _, ok := v.(interface{ TryLock() bool }); ok {
		panic("it has no TryLock")
	}
	l := v.(sync.Locker)
	l.Lock()
	mu.Lock() // want "deadlock"
	l.Unlock()
}
