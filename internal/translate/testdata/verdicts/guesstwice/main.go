package main

import "sync"

var first, second int

func call(f func()) { f() }

// A helper that is given two functions, of which nothing is known, calls both: the table is too large to be kept.
func main() {
	var wg sync.WaitGroup
	wg.Go(func() {})
	wg.Wait()
	var table [100_000]func()
	table[0] = func() { first = 1 }
	table[1] = func() { second = 1 }
	call(table[0])
	call(table[1])
	var mu sync.Mutex
	mu.Lock()
	if first == 1 && second == 1 {
		mu.Lock() // want "deadlock"
	}
}
