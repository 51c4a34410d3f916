package main

func main() {
	c := make(chan int, 1)
	steps := []func(){
		func() { c <- 1 },
		func() { <-c },
		func() { close(c) }, // want "close of closed channel"
	}
	for _, f := range steps {
		f()
	}
	steps[2]()
}
