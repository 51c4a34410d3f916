package main

import "sync"

type a struct{ b b }
type b struct{ c c }
type c struct{ d d }
type d struct{ e e }
type e struct{ f f }
type f struct{ g g }
type g struct{ h h }
type h struct{ n int }

// What is stored deep inside a struct is in the struct as a whole.
func main() {
	var wg sync.WaitGroup
	var mu sync.Mutex
	var deep a
	set(&deep.b.c.d.e.f.g.h)
	wg.Go(func() { lock(deep, &mu) })
	wg.Wait()
	mu.Lock() // want "deadlock"
}

func set(h *h) { h.n = 7 }

func lock(deep a, mu *sync.Mutex) {
	mu.Lock()
	copied := deep
	if copied.b.c.d.e.f.g.h.n != 7 {
		mu.Unlock()
	}
}
