package main

import (
	randv2 "math/rand/v2"
)

func main() {
	if randv2.IntN(6) == 3 {
		panic("three") // want "panic"
	}
}
