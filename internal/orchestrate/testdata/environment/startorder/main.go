package main

import (
	"sync"
)

func main() {
	jobs := map[string]int{"a": 1, "b": 2, "c": 3}
	var mu sync.Mutex
	var wg sync.WaitGroup
	var order []string
	for name := range jobs {
		wg.Add(1)
		go func() {
			defer wg.Done()
			mu.Lock()
			defer mu.Unlock()
			order = append(order, name)
		}()
	}
	wg.Wait()
	if order[0] == "c" && order[1] == "b" {
		panic(order) // want "panic"
	}
}
