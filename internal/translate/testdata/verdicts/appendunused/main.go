package main

// remove removes an element in place; its caller keeps the length.
func remove(s []chan int, i int) {
	_ = append(s[:i], s[i+1:]...)
}

// What an append writes into the array of a slice is there, also where nobody uses its result.
func main() {
	a, b := make(chan int, 1), make(chan int, 1)
	s := []chan int{a, b}
	remove(s, 0)
	s[0] <- 1
	s[1] <- 2 // want "deadlock"
}
