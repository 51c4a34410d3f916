package main

// A slice has more elements than the model keeps.
func main() {
	c := make(chan int, 1)
	c <- 1
	var s []chan int
	for range 9 {
		s = append(s, c) // unreal "bound exceeded"
	}
	s[0] <- 2 // missed "deadlock"
}
