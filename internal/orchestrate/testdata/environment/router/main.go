package main

import (
	"math/rand"
	"sync"
)

func main() {
	routes := map[string][]chan int{"a": {make(chan int, 1)}, "b": {make(chan int, 1), make(chan int)}}
	var wg sync.WaitGroup
	for _, list := range routes {
		wg.Add(1)
		go func() {
			defer wg.Done()
			list[rand.Intn(len(list))] <- 1 // want "deadlock"
		}()
	}
	wg.Wait() // want "deadlock"
}
