package main

import (
	randv2 "math/rand/v2"
)

func main() {
	ch := make(chan int, 1)
	go func() {
		if randv2.Float64() < 0.3 {
			close(ch)
		}
		ch <- 1 // want "send on closed channel"
	}()
	<-ch
	<-ch // want "deadlock"
}
