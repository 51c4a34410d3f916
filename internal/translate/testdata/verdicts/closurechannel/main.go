package main

// The goroutine sees the channel that the variable holds when it runs.
func main() {
	c := make(chan int, 1)
	d := c
	done := make(chan bool)
	go func() {
		<-done
		c <- 1
	}()
	c = make(chan int, 1)
	close(done)
	<-d // want "deadlock"
}
