package main

func main() {
	a, b := make(chan int, 1), make(chan int, 1)
	from := []chan int{a, b}
	to := make([]chan int, 1)
	if copy(to, from) != 1 {
		panic("one fits")
	}
	to[0] <- 1
	<-a
	// The two overlap.
	if copy(from[1:], from) != 1 || from[1] != a {
		panic("not moved")
	}
	<-from[1] // want "deadlock"
}
