package main

const (
	first = iota
	second
	third
)

type state int

func next(s state) state { return (s + 1) % 3 }

func main() {
	c := make(chan state, second)
	s := state(first)
	for s != third {
		s = next(s)
	}
	c <- s
	if <-c == third && s<<1 == 4 && s&^2 == 0 && -s < 0 {
		c <- s
	}
	c <- s // want "deadlock"
}
