package main

import "iter"

func once() iter.Seq[int] {
	return func(yield func(int) bool) { yield(1) }
}

func main() {
	c := make(chan int)
	func() {
		for range once() {
			defer close(c) // unreal "bound exceeded"
		}
	}()
	close(c)
}
