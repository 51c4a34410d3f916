package main

import "iter"

func once() iter.Seq[int] {
	return func(yield func(int) bool) { yield(1) }
}

func main() {
	c := make(chan int)
	func() {
		for range once() {
			defer close(c) // refused "defer in the body of a range over a function: it belongs to the surrounding function"
		}
	}()
	close(c)
}
