package main

import "math/rand/v2"

func main() {
	c := make(chan int, 2)
	n := rand.IntN(3)
	for range n {
		c <- 1
	}
	c <- 2 // want "deadlock" // unconfirmed "two runs may draw different numbers"
}
