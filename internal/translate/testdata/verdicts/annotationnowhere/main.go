package main

func main() {
	c := make(chan int, 1)
	select {
	case c <- 1:
		//vtrace:reachable // refused "annotation: no statement of a function follows in its block"
	default:
	}
	close(c)
}
