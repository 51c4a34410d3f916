package main

var (
	c    = make(chan int, size)
	size = 1 + one()
)

func one() int { return 1 }

func init() {
	c <- 1
	c <- 2
}

func main() {
	<-c
	c <- 3
	c <- 4 // want "deadlock"
}
