package main

func main() {
	c := make(chan int, 2)
	c <- 1
	c <- 0
	if <-c == 0 {
		panic("never")
	}
	if <-c == 0 {
		close(c)
		c <- 1 // want "send on closed channel"
	}
}
