// Package main makes a channel, and a slice, of a negative size.
package main

func main() {
	sizes := make(chan int, 2)
	sizes <- -1
	select {
	case sizes <- 0:
		n := <-sizes
		c := make(chan int, n) // want "panic"
		c <- 1
	case sizes <- 1:
		n := <-sizes
		s := make([]chan int, n) // want "panic"
		<-s[0]
	}
}
