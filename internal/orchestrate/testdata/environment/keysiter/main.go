package main

import (
	"maps"
)

func main() {
	m := map[int]bool{1: true, 2: true, 3: true}
	for k := range maps.Keys(m) {
		if k == 3 {
			panic("3") // want "panic"
		}
		return
	}
}
