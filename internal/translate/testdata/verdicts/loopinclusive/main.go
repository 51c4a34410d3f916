package main

// A loop that counts up to its limit, that included, starts so many goroutines.
func main() {
	c := make(chan int)
	for i := 1; i <= 10; i++ {
		go func() { c <- i }()
	}
	for i := 1; i <= 10; i++ {
		<-c
	}
	<-c // want "deadlock"
}
