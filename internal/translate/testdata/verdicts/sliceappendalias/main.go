package main

// An append within the capacity writes into the shared array.
func main() {
	a, b := make(chan int, 1), make(chan int, 1)
	base := make([]chan int, 0, 2)
	x := append(base, a)
	y := append(base, b)
	x[0] <- 1
	<-y[0]
	x = append(x, a)
	x[1] <- 1
	x[1] <- 2 // want "deadlock"
}
