package main

func producer(out chan<- int, stop <-chan bool) {
	for {
		select {
		case out <- 1:
		case <-stop:
			return
		}
	}
}

func main() {
	out, stop := make(chan int), make(chan bool)
	go producer(out, stop)
	for range 3 {
		if <-out < 0 {
			panic("order")
		}
	}
	close(stop)
}
