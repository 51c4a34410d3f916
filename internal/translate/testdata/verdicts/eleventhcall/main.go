package main

func send(c chan int, v int) {
	c <- v // want "deadlock"
}

func main() {
	c := make(chan int, 10)
	for i := range 10 {
		send(c, i)
	}
	send(c, 10)
}
