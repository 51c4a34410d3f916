package main

func produce(out chan<- int, n int) {
	defer close(out)
	for i := range n {
		out <- i
	}
}

func double(in <-chan int, out chan<- int) {
	defer close(out)
	for v := range in {
		out <- 2 * v
	}
}

func main() {
	a, b := make(chan int), make(chan int)
	go produce(a, 2)
	go double(a, b)
	if <-b != 0 || <-b != 2 {
		panic("another value")
	}
	if _, ok := <-b; ok {
		panic("one too many")
	}
	close(b) // want "close of closed channel"
}
