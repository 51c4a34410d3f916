package main

import (
	crand "crypto/rand"
)

func main() {
	var b [1]byte
	if _, err := crand.Read(b[:]); err != nil {
		return
	}
	if b[0]%4 == 0 {
		<-make(chan int) // want "deadlock"
	}
}
