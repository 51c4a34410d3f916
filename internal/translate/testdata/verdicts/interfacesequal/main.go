package main

type point struct{ x, y int }

type line struct{ x, y int }

type id int

// Two values in interfaces are equal if their types and all of their parts are; so is
// one in an interface and one that is not.
func main() {
	c := make(chan int)
	see := make(chan any, 1)
	same := func(a, b any) bool {
		see <- a
		return <-see == b
	}
	one := 1
	p := &point{one, 2}
	switch {
	case same(1, id(1)), same(1, "1"), same(1, 2), same(p, &point{1, 2}), same(nil, 0), same(p, nil), same(c, p):
		panic("different ones")
	case !same(1, 1), !same(id(2), id(2)), !same(p, p), !same(nil, nil), !same("a", "a"), !same(c, c):
		panic("equal ones")
	}
	var v, w any = point{1, 2}, point{1, 2}
	if v != w || v == any(point{2, 1}) || v == any(line{1, 2}) || v == any(1) {
		panic("of several parts")
	}
	see <- id(1)
	v = <-see
	if v == 1 || v == id(2) || v == "1" || v == any(c) {
		panic("not this one")
	}
	if id(1) != v {
		panic("this one")
	}
	see <- p
	if v = <-see; v != p || p != v || v == (*point)(nil) {
		panic("this pointer")
	}
	// What is in the interfaces is not constant.
	q := *p
	q.x += one
	if see <- q; <-see == any(line(q)) {
		panic("another type")
	}
	if see <- q; <-see == any(point{2, 2}) {
		<-c // want "deadlock"
	}
}
