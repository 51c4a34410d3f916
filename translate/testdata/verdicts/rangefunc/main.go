package main

import "iter"

func numbers(c chan int) iter.Seq[int] {
	return func(yield func(int) bool) {
		defer close(c)
		for i := range 3 {
			if !yield(i) {
				return
			}
		}
	}
}

func main() {
	c := make(chan int)
	for i := range numbers(c) {
		if i == 1 {
			break
		}
	}
	<-c
	func() {
		for range numbers(make(chan int)) {
			defer close(c) // want "close of closed channel"
			return
		}
	}()
}
