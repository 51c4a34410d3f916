package main

import (
	"math/rand"
)

func main() {
	ch := make(chan int, 3)
	for _, i := range rand.Perm(3) {
		ch <- i
	}
	if <-ch == 2 && <-ch == 0 {
		panic("2 0 1") // want "panic"
	}
}
