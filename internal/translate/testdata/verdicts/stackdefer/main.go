package main

// Deferred calls run in the reverse order, with arguments of before.
func main() {
	c := make(chan int, 3)
	func() {
		for i := range 3 {
			defer func(n int) { c <- n }(i)
		}
		defer close(make(chan int))
	}()
	for i := range 3 {
		if <-c != 2-i {
			panic("another order")
		}
	}
	defer close(c) // want "close of closed channel"
	defer close(c)
}
