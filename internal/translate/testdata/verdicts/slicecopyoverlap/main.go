package main

// Source and destination of the copy overlap: what is read is what was there before.
func main() {
	a, b := make(chan int), make(chan int)
	s := []chan int{a, b, nil}
	copy(s[1:], s[:2])
	go func() { <-b }()
	s[2] <- 1
	go func() { <-a }()
	s[1] <- 1
	t := []chan int{nil, a, b}
	copy(t, t[1:])
	go func() { <-b }()
	t[1] <- 1
	go func() { <-b }()
	t[0] <- 1 // want "deadlock"
}
