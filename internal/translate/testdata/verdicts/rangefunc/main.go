package main

import "iter"

func numbers(c chan int) iter.Seq[int] {
	return func(yield func(int) bool) {
		defer close(c) // want "close of closed channel"
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
	for range numbers(c) {
		return
	}
}
