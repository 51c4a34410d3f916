package main

type pair struct {
	in, out chan int
}

func swap(p pair) pair {
	p.in, p.out = p.out, p.in
	return p
}

func main() {
	p := pair{make(chan int, 1), make(chan int, 1)}
	q := swap(p)
	p.in <- 1
	<-q.out
	q.in <- 2
	<-p.in // want "deadlock"
}
