package main

import (
	randv2 "math/rand/v2"
)

func main() {
	r := randv2.New(randv2.NewPCG(randv2.Uint64(), randv2.Uint64()))
	if r.IntN(3) == 1 {
		var c chan int
		close(c) // want "close of nil channel"
	}
}
