package main

import (
	"hash/maphash"
)

func main() {
	var h maphash.Hash
	h.SetSeed(maphash.MakeSeed())
	h.WriteString("key")
	if h.Sum64()>>5%4 == 0 {
		panic("bucket 0") // want "panic"
	}
}
