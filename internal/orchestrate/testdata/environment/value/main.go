package main

import (
	"math/rand"
)

func main() {
	pick := rand.Intn
	c := make(chan int)
	go func() { c <- pick(8) }()
	if <-c == 7 {
		panic("seven") // want "panic"
	}
}
