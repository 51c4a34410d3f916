package main

import (
	"math/rand"
)

func main() {
	if rand.Intn(6) == 3 {
		panic("three") // want "panic"
	}
}
