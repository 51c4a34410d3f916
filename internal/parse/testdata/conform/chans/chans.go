package chans // import "example.com/conform/chans"

import (
	"errors"
	"fmt"
	"io"
)

type (
	myBool bool
	myChan chan int
	point  struct{ x, y int }
	shape  interface{ area() int }
)

func (p point) area() int { return p.x * p.y }

func Run() {
	sends()
	receives()
	ranges()
	fmt.Println(generic(make(myChan, 3), 1, 2, 3))
	fmt.Println(generic2[string](make(chan string, 2)))
	closed()
}

func sends() {
	ic := make(chan interface{}, 9)
	ic <- 1
	ic <- nil
	ic <- point{1, 2}
	ic <- 'x'
	ic <- 1 << 3
	close(ic)
	for v := range ic {
		fmt.Printf("%T %v\n", v, v)
	}
	fc := make(chan float64, 2)
	fc <- 1
	var n uint = 3
	fc <- float64(int(1) << n)
	ec := make(chan error, 2)
	ec <- nil
	ec <- io.EOF
	fmt.Println(<-fc, <-fc, <-ec, errors.Is(<-ec, io.EOF))
	sc := make(chan shape, 1)
	sc <- point{
		x: 2,
		y: 3,
	}
	fmt.Println((<-sc).area())
	bc := make(chan myBool, 1)
	bc <- 1 < 2
	fmt.Println(<-bc)
	fnc := make(chan func(int) int, 1)
	fnc <- func(i int) int {
		return i + 1
	}
	fmt.Println((<-fnc)(1))
	var so chan<- int = make(chan int, 1)
	so <- 4
	cc := make(chan chan int, 1)
	cc <- make(chan int, 1)
	inner := <-cc
	inner <- 5
	fmt.Println(<-inner, len(so))
	arr := [2]chan int{make(chan int, 1), make(chan int, 1)}
	i := 0
	next := func() int { i++; return i - 1 }
	arr[next()] <- next()
	fmt.Println(<-arr[0], i)
}

func receives() {
	c := make(chan int, 20)
	for i := range 20 {
		c <- i
	}
	v, ok := <-c
	fmt.Println(v, ok)
	v, ok = (<-c)
	var w, ok2 = <-c
	var x interface{}
	x, _ = <-c
	_, ok = <-c
	fmt.Println(v, ok, w, ok2, x)
	var mb myBool
	a := []int{0, 0}
	a[1], mb = <-c
	fmt.Println(a, mb)
	if v := <-c; v > 3 && <-c > 0 || <-c < 0 {
		fmt.Println("if", v)
	} else if <-c == 1 {
		fmt.Println("else")
	}
	fmt.Println(-<-c, (<-c)+<-c, []int{<-c, <-c}, map[int]int{<-c: <-c}, point{x: <-c})
	switch <-c {
	case <-c, 17:
		fmt.Println("no")
	default:
		fmt.Println("default")
	}
	<-c
	func() (int, error) { return <-c, nil }()
	cc := make(chan chan int, 1)
	cc <- c
	close(c)
	fmt.Println(<-<-cc)
	z, ok := <-c
	fmt.Println(z, ok)
	// A receive over several lines.
	fmt.Println(
		<-c,
		func() int {
			return <-c // the zero value
		}(),
	)
	p := make(chan *point, 1)
	p <- &point{1, 2}
	(<-p).x = 7
	p <- &point{3, 4}
	q := *<-p
	fmt.Println(q)
}

func ranges() {
	fill := func(n int) chan int {
		c := make(chan int, n)
		for i := 0; i < n; i++ {
			c <- i
		}
		close(c)
		return c
	}
	sum := 0
	for range fill(3) {
		sum++
	}
	for _ = range fill(2) {
		sum++
	}
	var v int
	for v = range fill(4) {
		sum += v
	}
	a := []int{0, 0}
	i := 0
	for a[i] = range fill(2) {
		i = 1
	}
	fmt.Println(sum, v, a)
	var fs []func() int
outer:
	for v := range fill(9) {
		v := v * 2
		switch {
		case v == 4:
			continue outer
		case v == 10:
			break outer
		}
		fs = append(fs, func() int { v++; return v })
	}
	for _, f := range fs {
		fmt.Print(f(), " ")
	}
	for v := range fill(3) {
		fs = append(fs, func() int { v++; return v })
		if v == 1 {
			goto done
		}
	}
done:
	fmt.Println(len(fs), fs[len(fs)-1](), fs[len(fs)-2]())
	for v := range func() chan int {
		return fill(2)
	}() {
		defer fmt.Println("deferred", v)
	}
	var e interface{}
	for e = range fill(2) {
	}
	fmt.Println(e)
}

func generic[C ~chan T, T any](c C, vs ...T) (out []T) {
	for _, v := range vs {
		c <- v
	}
	first := <-c
	out = append(out, first)
	if v, ok := <-c; ok {
		out = append(out, v)
	}
	select {
	case v := <-c:
		out = append(out, v)
	default:
	}
	select {
	case c <- first:
	default:
	}
	close(c)
	for v := range c {
		out = append(out, v)
	}
	return out
}

type both[T any] interface{ chan T | chan<- T }

func put[C both[T], T any](c C, v T) { c <- v; close(c) }

func generic2[T any](c chan T) (n int) {
	var zero T
	put(c, zero)
	for range c {
		n++
	}
	return n
}

func closed() {
	try := func(name string, f func()) {
		defer func() { fmt.Println(name, recover()) }()
		f()
	}
	c := make(chan int)
	close(c)
	try("close", func() { close(c) })
	try("send", func() { c <- 1 })
	try("nil", func() { close((chan int)(nil)) })
	try("select", func() {
		select {
		case c <- 1:
		default:
		}
	})
	try("defer", func() { defer close(c) })
}
