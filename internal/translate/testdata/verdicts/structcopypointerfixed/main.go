package main

type box struct {
	c chan int
	d chan int
}

// set stores through a pointer that may be one to any variable of its type.
func set(p *chan int, c chan int) { *p = c }

// fill does so to an element.
func fill(p *[2]chan int, c chan int) { set(&p[1], c) }

// What was stored into a field, or an element, through a pointer is there when the whole is
// copied.
func main() {
	c := make(chan int, 1)
	c <- 1
	var s box
	set(&s.c, c)
	t := s
	<-t.c // ends: the field is set
	var a [2]chan int
	fill(&a, c)
	b := a
	b[1] <- 1
}
