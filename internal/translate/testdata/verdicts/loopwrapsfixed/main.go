package main

// As loopwraps, with counters that come to the end before they wrap around.
func main() {
	bytes := make(chan int)
	go func() {
		n := 0
		for i := 0; i <= 255; i++ {
			n++
		}
		bytes <- n
	}()
	down := make(chan int)
	go func() {
		n := 0
		for i := uint(3); i > 0; i-- {
			n++
		}
		down <- n
	}()
	steps := make(chan int)
	go func() {
		n := 0
		for i := int8(0); i < 124; i += 4 {
			n++
		}
		steps <- n
	}()
	<-bytes
	<-down
	<-steps
}
