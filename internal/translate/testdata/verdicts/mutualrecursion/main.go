package main

func ping(c, d chan int, n int) {
	if n == 0 {
		close(d)
		return
	}
	c <- n // want "deadlock"
	pong(c, d, n-1)
}

func pong(c, d chan int, n int) {
	<-c
	ping(c, d, n)
}

func main() {
	c, d := make(chan int, 1), make(chan int)
	ping(c, d, 2)
	<-d
	c = make(chan int)
	ping(c, d, 1)
}
