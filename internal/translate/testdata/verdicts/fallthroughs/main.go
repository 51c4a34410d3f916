package main

func main() {
	c := make(chan int, 1)
	n := 1
	switch n {
	case 0:
		panic("not this one")
	case 1:
		c <- 1
		fallthrough
	case 2:
		c <- 2 // want "deadlock"
	default:
		panic("nor this one")
	}
}
