package main

type box[T any] struct{ c chan T }

func (b box[T]) send(v T)   { b.c <- v } // want "deadlock"
func (b box[T]) receive() T { return <-b.c }

func main() {
	b := box[bool]{make(chan bool)}
	go b.send(true)
	if !b.receive() {
		panic("value")
	}
	d := box[int]{make(chan int)}
	d.send(1)
}
