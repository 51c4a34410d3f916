package main

func main() {
	c := make(chan int, 3)
	for len(c) < cap(c) {
		c <- len(c)
	}
	for len(c) > 1 {
		<-c
	}
	if <-c != 2 {
		panic("not in order")
	}
	var nilc chan int
	if len(nilc)+cap(nilc) != 0 {
		panic("nil has no buffer")
	}
	c = make(chan int, len(c))
	c <- 1 // want "deadlock"
}
