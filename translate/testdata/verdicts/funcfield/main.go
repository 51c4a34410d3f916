package main

type step struct {
	name string
	run  func(chan int)
}

func main() {
	c := make(chan int)
	s := step{"send", func(c chan int) { c <- 1 }}
	go s.run(c)
	s.run = func(c chan int) { <-c }
	s.run(c)
	s.run(c) // the literal above waits
}

// want at the receive of the literal: see funcfieldwait.
