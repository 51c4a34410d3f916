// Package main counts in integers that wrap around: the least of a type has no opposite.
package main

func main() {
	c := make(chan int8, 1)
	c <- -128
	n, minus := <-c, int8(-1)
	wide := 513 * -int(minus)
	which := make(chan int, 1)
	select {
	case which <- 0:
	case which <- 1:
	case which <- 2:
	case which <- 3:
	}
	stuck := false
	switch <-which {
	case 0:
		stuck = n/minus == -128
	case 1:
		n = -n
		stuck = n == -128
	case 2:
		stuck = uint8(wide) == 1
	case 3:
		bits := uint8(wide>>5) - 1
		bits <<= 5
		stuck = ^bits == 31
	}
	if stuck {
		<-which // want "deadlock"
	}
}
