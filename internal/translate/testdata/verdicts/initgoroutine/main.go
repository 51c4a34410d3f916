package main

var ready = make(chan bool)

func init() {
	go func() { ready <- true }()
}

func init() {
	if queue == nil {
		panic("variables come first")
	}
	queue <- 1
}

var queue = newQueue()

func newQueue() chan int { return make(chan int, 1) }

func main() {
	<-ready
	queue <- 2 // want "deadlock"
}
