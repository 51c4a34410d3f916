package main

func number(one, two int) int {
	c := make(chan int, 2)
	go func() { c <- one }()
	go func() { c <- two }()
	return <-c
}

func all(s []chan int, want ...chan int) {
	if len(s) != len(want) || cap(s) < len(s) {
		panic("another length")
	}
	for i, c := range s {
		if c != want[i] {
			panic("another element")
		}
	}
}

type lines struct {
	name string
	out  chan int
}

// Appends of nothing, of one and of several elements, to nothing, to what has room and to
// what has none, of a slice to itself, of a length that is not known, and of wide elements.
func main() {
	a, b, c := make(chan int, 1), make(chan int, 1), make(chan int, 1)
	n := number(1, 2)

	var s []chan int
	if s = append(s); s != nil {
		panic("something of nothing")
	}
	all(append(s, []chan int{}...))
	all(append(s, a, b, c), a, b, c)
	all(append([]chan int{}, []chan int{a, b}...), a, b)
	two := []chan int{a, b}
	all(append(two, two...), a, b, a, b)
	all(append(two[:1], two...), a, a, b)

	room := make([]chan int, 1, 4)
	room[0] = a
	x := append(room, b)
	y := append(x, c)
	all(x, a, b)
	all(append(room, c), a, c)
	all(y, a, c, c) // it has the same array
	all(room[:4], a, c, c, nil)
	x = append(room, b, b, b, b)
	all(room[:2], a, c)
	all(x, a, b, b, b, b)

	// The length is that of one of two.
	some := make([]chan int, n, 3)
	some = append(some, c)
	if len(some) != n+1 || some[n] != c || n == 2 && some[1] != nil {
		panic("at another place")
	}
	some = append(some, []chan int{a, b}[:n]...)
	if len(some) != 2*n+1 || some[n+1] != a || n == 2 && some[4] != b {
		panic("of another length")
	}

	wide := append([]lines{{"one", a}}, lines{"two", b}, lines{"three", c})
	if len(wide) != 3 || wide[1].name != "two" || wide[2].out != c {
		panic("another line")
	}
	wide[n].out <- 1
	wide[2].out <- 2 // want "deadlock"
	wide[1].out <- 3 // want "deadlock"
}
