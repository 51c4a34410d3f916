package main

import (
	"hash/maphash"
)

func main() {
	seed := maphash.MakeSeed()
	shards := make([]chan int, 2)
	shards[0] = make(chan int, 1)
	i := maphash.String(seed, "key") >> 7 % 2
	shards[i] <- 1 // want "deadlock"
}
