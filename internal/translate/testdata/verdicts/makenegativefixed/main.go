// Package main makes a channel, and a slice, of a size that it has made sure of.
package main

func main() {
	sizes := make(chan int, 2)
	sizes <- -1
	select {
	case sizes <- 0:
		n := <-sizes
		c := make(chan int, max(n, 1))
		c <- 1
	case sizes <- 1:
		n := <-sizes
		s := make([]chan int, max(n, 0))
		for _, c := range s {
			<-c
		}
	}
}
