package main

type pair [2]chan int

func made(a, b chan int) pair { return pair{a, b} }

// which is the value of a channel that one of two goroutines fills.
func which() int {
	c := make(chan int, 2)
	for i := range 2 {
		go func() { c <- i }()
	}
	return <-c
}

// Elements are taken of arrays that are values, by an index that is known, that is one of
// two, and that is one too many; and of an array through a pointer, which may be nil.
func main() {
	a, b := make(chan int, 3), make(chan int, 1)
	made(a, b)[0] <- 1
	i := which()
	c := made(a, b)[1-i]
	if i == 0 && c != b || i == 1 && c != a {
		panic("another element")
	}
	ps := [3]pair{made(a, b), made(b, a)}
	if ps[1][0] != b || ps[i][i] != a || len(ps) != 3 || len(made(a, b)) != 2 || cap(&ps) != 3 || len(&ps[0]) != 2 {
		panic("another array")
	}
	func() {
		defer func() {
			if recover() == nil {
				panic("an element behind the end")
			}
		}()
		made(a, b)[2*i] <- 2 // the first element, or none
		panic("it is the first one")
	}()
	var p *pair
	if i == 1 {
		p = &ps[2]
	}
	p[0] = a // want "panic"
	ps[2][0] <- 3
	<-a
	if i == 1 {
		<-a
	}
	<-b // want "deadlock"
}
