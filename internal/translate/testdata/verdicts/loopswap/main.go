package main

// Two variables are exchanged in each iteration.
func main() {
	one, other := make(chan int), make(chan int)
	go func() { <-one }()
	go func() { <-other }()
	a, b := one, other
	for range 3 {
		a <- 1 // want "deadlock"
		a, b = b, a
	}
}
