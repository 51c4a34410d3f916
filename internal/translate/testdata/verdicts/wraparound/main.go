package main

// Numbers wrap around at the ends of their types.
func main() {
	c := make(chan int, 1)
	u := uint8(255)
	u++
	if u == 0 {
		c <- 1
	}
	u--
	if u == 255 {
		c <- 1 // want "deadlock"
	}
}
