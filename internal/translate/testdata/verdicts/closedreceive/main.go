package main

func main() {
	c := make(chan int, 2)
	c <- 1
	close(c)
	v, ok := <-c
	w, open := <-c
	if v != 1 || !ok || w != 0 || open {
		panic("what is left comes first")
	}
	for range c {
		panic("nothing is left")
	}
	select { // want "send on closed channel"
	case c <- 2:
	default:
	}
}
