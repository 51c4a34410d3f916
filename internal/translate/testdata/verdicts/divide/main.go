package main

import "sync"

func main() {
	var mu sync.Mutex
	share := func(n int) int {
		defer func() { recover() }()
		mu.Lock() // want "deadlock"
		v := 10 / n
		mu.Unlock()
		return v
	}
	share(2)
	share(0)
	share(1)
}
