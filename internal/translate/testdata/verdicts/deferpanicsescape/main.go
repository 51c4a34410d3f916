package main

import "sync"

func main() {
	var mu sync.Mutex
	defer mu.Lock()
	defer func() {
		recover()
		panic("again") // want "panic"
	}()
	panic("first")
}
