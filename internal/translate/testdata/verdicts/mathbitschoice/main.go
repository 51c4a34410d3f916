package main

import (
	"math/bits"
	"sync"
)

// The bits of a number are counted, whichever of several it is.
func main() {
	var mu sync.Mutex
	var n uint8 = 4
	go func() {
		mu.Lock()
		n = 7
		mu.Unlock()
	}()
	mu.Lock()
	c := make(chan int, 3)
	for range bits.OnesCount8(n) {
		c <- 1
	}
	if bits.Len8(n) != 3 || bits.TrailingZeros8(n)+bits.OnesCount8(n) != 3 {
		panic("never")
	}
	mu.Unlock()
	<-c
	<-c // want "deadlock"
	<-c
	<-c // want "deadlock"
}
