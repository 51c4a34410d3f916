package main

import "sync"

func main() {
	var mu sync.RWMutex
	ready := false
	cond := sync.NewCond(&mu)
	go func() {
		mu.Lock()
		ready = true
		mu.Unlock()
		cond.Broadcast()
	}()
	mu.Lock()
	for !ready {
		cond.Wait()
	}
	mu.Unlock()
	mu.RLock()
	defer mu.RUnlock()
	if !ready {
		panic("not ready")
	}
}
