package main

import (
	crand "crypto/rand"
	"math/big"
)

func main() {
	n, err := crand.Int(crand.Reader, big.NewInt(5))
	if err != nil {
		return
	}
	list := make([]int, 4)
	list[n.Int64()]++ // want "panic"
}
