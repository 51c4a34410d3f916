package main

import (
	"hash/maphash"
)

func main() {
	type key struct {
		a int
		b string
	}
	seed := maphash.MakeSeed()
	if maphash.Comparable(seed, key{1, "x"})>>9%3 == 0 {
		panic("bucket 0") // want "panic"
	}
}
