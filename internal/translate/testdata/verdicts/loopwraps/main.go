package main

// The counter of each loop wraps around before the condition fails, so that nobody comes to
// the end of it.
func main() {
	bytes := make(chan int)
	go func() {
		n := 0
		for i := uint8(0); i <= 255; i++ { // assumed "terminates"
			n++
		}
		bytes <- n
	}()
	down := make(chan int)
	go func() {
		n := 0
		for i := uint(3); i >= 0; i-- { // assumed "terminates"
			n++
		}
		down <- n
	}()
	steps := make(chan int)
	go func() {
		n := 0
		for i := int8(0); i < 126; i += 4 { // assumed "terminates"
			n++
		}
		steps <- n
	}()
	<-bytes // missed "partial deadlock"
	<-down
	<-steps
}
