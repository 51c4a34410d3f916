package main

import (
	crand "crypto/rand"
)

func main() {
	token := crand.Text()
	if token[0] < 'H' {
		panic("low") // want "panic"
	}
}
