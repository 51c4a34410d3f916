package main

import (
	randv2 "math/rand/v2"
)

func main() {
	list := []string{"a", "b", "c"}
	randv2.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	c := make(chan string, 2)
	for _, s := range list {
		if s == "c" {
			close(c)
			continue
		}
		select {
		case c <- s: // want "send on closed channel"
		default:
		}
	}
}
