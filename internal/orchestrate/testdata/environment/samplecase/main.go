package main

import (
	"math/rand"
)

func main() {
	a, b := make(chan int), make(chan int)
	go func() { a <- 1 }()
	go func() { b <- 1 }() // want "deadlock"
	if rand.Uint32()%2 == 0 {
		<-a
		<-a // want "deadlock"
	}
	<-b
	<-a
}
