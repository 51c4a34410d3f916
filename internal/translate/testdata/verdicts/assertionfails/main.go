package main

import "sync"

func main() {
	var mu sync.Mutex
	length := func(v any) int {
		defer func() { recover() }()
		mu.Lock() // want "deadlock"
		n := len(v.(string))
		mu.Unlock()
		return n
	}
	length("text")
	length(1)
	length("text")
}
