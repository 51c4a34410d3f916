package main

import (
	"math/bits"
	"runtime"
)

// room is the next power of two.
func room(n uint) int {
	if n <= 1 {
		return 1
	}
	return 1 << bits.Len(n-1)
}

type ring struct{ free chan int }

func newRing(size int) *ring {
	if size > 1<<10 || size&(size-1) != 0 {
		panic("bad size")
	}
	return &ring{make(chan int, size)}
}

func main() {
	workers := make(chan int, runtime.NumCPU())
	workers <- 1 // there is one processor at least
	r := newRing(room(3))
	for i := range 1 << bits.TrailingZeros8(4) {
		r.free <- i
	}
	if bits.LeadingZeros16(1) == 15 && bits.OnesCount32(7) == 3 && bits.Len8(0) == 0 {
		r.free <- 5 // want "deadlock"
	}
}
