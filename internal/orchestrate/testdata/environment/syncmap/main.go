package main

import (
	"sync"
)

func main() {
	var m sync.Map
	for i := range 3 {
		m.Store(i, i)
	}
	order := make(chan any, 3)
	m.Range(func(k, v any) bool {
		order <- k
		return true
	})
	if <-order == 2 && <-order == 1 {
		panic("2 1 0") // want "panic"
	}
}
