// Package orcutil has the name of vtrace's runtime.
package orcutil

// Name is a name.
const Name = "orcutil"

// Chan is a channel with a value.
func Chan(v int) chan int {
	c := make(chan int, 1)
	c <- v
	return c
}
