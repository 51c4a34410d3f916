package main

type step struct{ run func(chan int) }

func receive(c chan int) {
	<-c // want "deadlock"
}

func main() {
	c := make(chan int)
	s := &step{func(c chan int) { c <- 1 }}
	go s.run(c)
	s.run = receive
	s.run(c)
	s.run(c)
}
