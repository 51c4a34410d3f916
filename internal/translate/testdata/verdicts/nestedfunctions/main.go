package main

import "sync"

// Functions that return functions, and take them.
func retry(n int, f func() bool) func() bool {
	return func() bool {
		for range n {
			if f() {
				return true
			}
		}
		return false
	}
}

func main() {
	var mu sync.Mutex
	n := 0
	f := retry(2, retry(1, func() bool {
		mu.Lock() // want "deadlock"
		n++
		if n == 2 {
			return true
		}
		mu.Unlock()
		return false
	}))
	if !f() {
		panic("the second attempt succeeds")
	}
	f()
}
