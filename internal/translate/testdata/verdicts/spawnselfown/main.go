package main

// down starts one of its own kind, and has a channel of its own.
func down(n int, over chan int) {
	c := make(chan int)
	if n > 0 {
		go down(n-1, over)
		c <- n
	} else {
		over <- <-c
	}
}

func main() {
	over := make(chan int)
	go down(1, over)
	<-over // want "deadlock"
}
