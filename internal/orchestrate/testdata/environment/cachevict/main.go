package main

import (
	"sync"
)

func main() {
	cache := map[string]chan int{}
	var mu sync.Mutex
	put := func(k string) {
		mu.Lock()
		defer mu.Unlock()
		if len(cache) == 2 {
			for old, c := range cache {
				close(c)
				delete(cache, old)
				break
			}
		}
		cache[k] = make(chan int, 1)
	}
	put("a")
	c := cache["a"]
	put("b")
	put("c")
	c <- 1 // want "send on closed channel"
}
