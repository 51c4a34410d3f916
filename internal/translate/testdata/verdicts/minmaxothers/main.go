package main

import "os"

// The least of texts and of floating-point numbers, and the parts of complex ones, are
// not kept: what follows from them may be.
func main() {
	c, d := make(chan int), make(chan int)
	if min("b", os.Args[0], "a") < "!" {
		c <- 1 // unreal "deadlock"
	}
	f := float64(len(os.Args))
	if max(f, 0.5) > 1.5 {
		d <- 1 // unreal "deadlock"
	}
	z := complex(f, 1)
	if real(z) == imag(z) {
		<-c // want "deadlock"
	}
}
