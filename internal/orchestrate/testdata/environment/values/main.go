package main

import (
	"maps"
)

func main() {
	last := 0
	for v := range maps.Values(map[string]int{"a": 1, "b": 2, "c": 3}) {
		last = v
	}
	if last == 1 {
		panic(last) // want "panic"
	}
}
