package main

import (
	"math/rand"
)

var node = rand.Intn(3)

func main() {
	if node == 2 {
		panic("node 2") // want "panic"
	}
}
