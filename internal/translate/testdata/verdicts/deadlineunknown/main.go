package main

import (
	"math/rand"
	"time"
)

// How long it takes until the first is over is not known.
func main() {
	first := time.NewTimer(time.Duration(rand.Intn(4)) * time.Second)
	second := time.NewTimer(2 * time.Second)
	<-second.C
	select {
	case <-first.C:
	default:
		panic("the second was over first") // want "panic"
	}
}
