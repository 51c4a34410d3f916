package main

import (
	"bufio"
	crand "crypto/rand"
)

func main() {
	r := bufio.NewReader(crand.Reader)
	b, err := r.ReadByte()
	if err == nil && b < 100 {
		panic(b) // want "panic"
	}
}
