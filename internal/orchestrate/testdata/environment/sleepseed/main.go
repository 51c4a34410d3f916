package main

import (
	"math/rand"
	"time"
)

func main() {
	seed := time.Now().UnixNano()
	r := rand.New(rand.NewSource(seed))
	c := make(chan int, 2)
	go func() { c <- 1 }()
	go func() { c <- 2 }()
	if <-c == 1+r.Intn(1) && rand.Intn(2) == 1 {
		panic("1") // want "panic"
	}
}
