package main

import (
	crand "crypto/rand"
	"encoding/hex"
)

func main() {
	seen := make(chan string, 2)
	for range 2 {
		go func() {
			var b [4]byte
			crand.Read(b[:])
			seen <- hex.EncodeToString(b[:])
		}()
	}
	if a, b := <-seen, <-seen; a > b && a[0] > 'c' {
		panic("order") // want "panic"
	}
}
