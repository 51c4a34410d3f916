package main

import (
	"maps"
	"slices"
)

func main() {
	keys := slices.Collect(maps.Keys(map[string]int{"a": 1, "b": 2}))
	c := make(chan string, 2)
	for _, k := range keys {
		c <- k
	}
	if <-c == "b" {
		close(c)
		c <- "more" // want "send on closed channel"
	}
}
