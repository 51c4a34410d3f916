package main

import "sync"

// Somebody recovers again and again from a counter below zero.
func main() {
	var wg sync.WaitGroup
	for range 40 {
		func() {
			defer func() { recover() }()
			wg.Done() // unreal "bound exceeded"
		}()
	}
	done := make(chan int)
	go func() { done <- 1 }()
	<-done
}
