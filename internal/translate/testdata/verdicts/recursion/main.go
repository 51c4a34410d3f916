package main

func down(n int, c chan int) {
	if n == 0 {
		c <- 1
		return
	}
	down(n-1, c)
}

func main() {
	c := make(chan int)
	go down(2, c)
	<-c
}
