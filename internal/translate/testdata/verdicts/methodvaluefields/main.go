package main

import "sync"

type guard struct {
	enter, leave func()
}

func (g guard) do(f func()) {
	g.enter()
	defer g.leave()
	f()
}

func main() {
	var mu sync.Mutex
	var rw sync.RWMutex
	guards := []guard{
		{mu.Lock, mu.Unlock}, // want "deadlock"
		{rw.RLock, rw.RUnlock},
	}
	var wg sync.WaitGroup
	wg.Add(2)
	for _, g := range guards {
		g.do(wg.Done)
	}
	wg.Wait()
	guards[1].do(func() { guards[1].do(func() {}) })
	guards[0].do(func() { guards[0].do(func() {}) })
}
