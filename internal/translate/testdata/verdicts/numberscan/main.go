package main

import "fmt"

func main() {
	var n int
	fmt.Sscan("2", &n)
	c := make(chan int)
	for i := range n {
		go func() { c <- i }()
	}
	for range n {
		<-c
	}
}
