package main

import (
	"math/rand"
	"time"
)

func main() {
	r := rand.New(rand.NewSource(time.Now().UnixNano() + rand.Int63()))
	done := make(chan int, 1)
	go func() { done <- r.Intn(4) }()
	if <-done == 0 {
		panic("zero") // want "panic"
	}
}
