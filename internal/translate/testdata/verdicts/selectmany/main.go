package main

// Each of the cases of a select is taken when it is ready, the last one too.
func main() {
	a, b, c := make(chan int), make(chan int), make(chan int, 1)
	c <- 1
	select {
	case <-a:
		panic("nobody sends")
	case b <- 1:
		panic("nobody receives")
	case v := <-c:
		if v == 1 {
			panic("the last") // want "panic"
		}
	}
}
