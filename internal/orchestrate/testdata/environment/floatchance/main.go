package main

import (
	"math/rand"
)

func main() {
	ch := make(chan int)
	go func() {
		if rand.Float64() < 0.7 {
			ch <- 1
		}
	}()
	<-ch // want "deadlock"
}
