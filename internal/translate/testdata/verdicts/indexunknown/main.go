package main

import (
	"os"
	"strings"
)

// The index is not known: it may be that of any of the elements, and of the same ones where it
// is used twice.
func main() {
	a, b := make(chan int, 2), make(chan int, 1)
	both, again := []chan int{a, b}, []chan int{a, b}
	i := strings.LastIndex(strings.Join(os.Args[:1], "")[:1]+"b", "b")
	if both[i] != again[i] {
		panic("two elements")
	}
	both[i] <- 1
	both[i] <- 2 // want "deadlock"
}
