package main

import (
	"os"
	"strconv"
)

type config struct{ size, other int }

type runner interface{ run(n int) }

type server struct{ c chan int }

func (s *server) run(n int) {
	s.c = make(chan int, n)
	if n == 7 {
		<-s.c // want "deadlock" // unconfirmed "another run may have another environment"
	}
}

func number(name string) int {
	n, _ := strconv.Atoi(os.Getenv(name))
	return n
}

func load() config { return config{size: number("SIZE")} }

// A number from outside is told from others far from where it was read: behind a method
// of an interface, in a field of a result, and in a map.
func main() {
	var r runner = &server{}
	r.run(number("RUN"))

	if n := load().size; n == 8 {
		<-make(chan int, n) // want "deadlock" // unconfirmed "another run may have another environment"
	}

	m := map[string]int{"a": number("MAP")}
	if n, ok := m["a"]; ok && n == 9 {
		<-make(chan int, n) // want "deadlock" // unconfirmed "another run may have another environment"
	}
	m["b"] = number("MAP2")
	if n := m["b"]; n >= 6 {
		<-make(chan int, n) // want "deadlock" // unconfirmed "another run may have another environment"
	}
}
