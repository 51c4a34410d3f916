package main

func main() {
	requests := make(chan int)
	answers := make(chan int)
	go send(requests)
	go send(answers)
	<-requests
	<-answers
}

func send(c chan int) {
	c <- 1
}
