package main

import "math/rand/v2"

func main() {
	c := make(chan int, 3)
	n := rand.IntN(3)
	for range n {
		c <- 1
	}
	c <- 2
}
