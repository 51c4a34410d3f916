package main

import "strconv"

type box struct{ n int }

func faults(f func()) (is bool) {
	defer func() { is = recover() != nil }()
	f()
	return false
}

// What is received is used where it is received: as an index, as a pointer, as the length
// of a slice, as what a text is made of.
func main() {
	c, done := make(chan int), make(chan bool, 1)
	go func() {
		for i := range 8 {
			c <- i % 4
		}
	}()
	three := []int{5, 6, 7}
	out := 0
	for range 4 {
		if faults(func() { done <- three[<-c] == 5; <-done }) {
			out++
		}
	}
	if len(done) != 0 || out != 1 {
		panic("index")
	}

	if strconv.Itoa(<-c) != "0" || [4]int{5, 6, 7, 8}[<-c] != 6 {
		panic("text")
	}
	more := append(three[:<-c], 9)
	if len(more) != 3 || three[2] != 9 {
		panic("slice")
	}
	if len(three[<-c:]) != 0 {
		panic("rest")
	}

	boxes := make(chan *box)
	go func() {
		boxes <- &box{1}
		boxes <- nil
	}()
	if (<-boxes).n != 1 || !faults(func() { done <- (<-boxes).n == 1 }) {
		panic("pointer")
	}
	<-done // want "deadlock"
}
