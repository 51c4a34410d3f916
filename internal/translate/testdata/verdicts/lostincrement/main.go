package main

import "sync"

// The increment is one statement: it reads, and another goroutine writes before
// it does.

type stats struct{ hits int }

func main() {
	s := &stats{}
	var wg sync.WaitGroup
	for range 2 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s.hits++
		}()
	}
	wg.Wait()
	if s.hits != 2 {
		panic("lost") // want "panic"
	}
}
