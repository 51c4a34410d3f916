package main

import "math/rand"

// There may be no worker at all.
func main() {
	c := make(chan int)
	n := rand.Intn(3)
	for range n {
		go func() { c <- 1 }()
	}
	<-c // want "deadlock"
}
