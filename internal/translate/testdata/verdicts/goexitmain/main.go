package main

import "runtime"

// Main ends without ending the program: the goroutine goes on, and panics.
func main() {
	c := make(chan int)
	go func() {
		<-c
		panic("reached") // want "panic"
	}()
	go func() { c <- 1 }()
	runtime.Goexit()
}
