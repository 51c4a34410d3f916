package main

import (
	"math/rand"
	"time"
)

func main() {
	stop := time.After(time.Second)
	c := make(chan int)
	go func() {
		time.Sleep(time.Duration(rand.ExpFloat64() * float64(time.Second)))
		c <- 1
	}()
	select {
	case <-c:
	case <-stop:
		panic("late") // want "panic"
	}
}
