package main

import (
	"maps"
)

func main() {
	first := true
	for k := range maps.All(map[int]chan int{0: nil, 1: make(chan int, 1)}) {
		if k == 1 && first {
			panic("1 first") // want "panic"
		}
		first = false
	}
}
