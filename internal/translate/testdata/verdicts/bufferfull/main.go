package main

func main() {
	c := make(chan int, 2)
	c <- 1
	c <- 2
	c <- 3 // want "deadlock"
}
