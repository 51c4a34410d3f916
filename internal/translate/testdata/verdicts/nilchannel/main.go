package main

func main() {
	var c chan int
	go func() {
		c <- 1
	}()
	d := make(chan int)
	go func() { close(d) }()
	<-d
	<-c // want "deadlock"
}
