package main

func main() {
	c := make(chan int)
	go func() {
		send(c)
	}()
	<-c
}

func send(c chan int) {
	c <- 1
}
