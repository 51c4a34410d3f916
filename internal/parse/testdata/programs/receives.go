package programs

import (
	"fmt"

	"example.com/programs/show"
)

var receives = []show.Program{
	{Name: "receives: conditions and initialisers", Run: receiveConditions, Allowed: []string{"if 3 for 2 1 0 switch type int"}},
	{Name: "receives: arguments and literals", Run: receiveArguments, Allowed: []string{"1 2 [3 4] map[5:6] {7 8} [0 0 9] 10"}},
	{Name: "receives: assignment operators", Run: receiveOperators, Allowed: []string{"3 12 [1 5] 6 2 ab false 8"}},
	{Name: "receives: order of evaluation", Run: receiveOrder, Allowed: []string{"[f a g b h] 3 1 -1"}},
	{Name: "receives: short-circuit", Run: receiveShort, Allowed: []string{"false true 1"}},
	{Name: "receives: comma ok", Run: receiveOk, Allowed: []string{"1 true 0 false <nil> false yes 0 <nil>"}},
	{Name: "receives: comma ok of a type without a name here", Run: receiveOkNameless, Allowed: []string{"1 true 0 false 1 true 0 false"}},
	{Name: "receives: returns", Run: receiveReturns, Allowed: []string{"1 2 5 6 5 <nil>"}},
	{Name: "receives: operands", Run: receiveOperands, Allowed: []string{"-1 true 3 5 d bc"}},
	{Name: "sends: conversions", Run: sendConversions, Allowed: []string{"int int32 float64 <nil> show.Program 4 8 bytes"}},
	{Name: "sends: order of evaluation", Run: sendOrder, Allowed: []string{"[c v] [c panic]"}},
	{Name: "receives: two goroutines", Run: receiveBoth, Allowed: []string{"1 2", "2 1"}},
	{Name: "sends: a buffer keeps the order", Run: sendBuffer, Allowed: []string{"1 2 3"}},
}

func receiveConditions(o *show.Out) {
	c := full(1, 2, 3, 2, 1, 0, 7)
	if v := <-c; v == 1 && <-c == 2 {
		o.Print("if", <-c)
	}
	o.Print("for")
	for v := <-c; v >= 0; v-- {
		o.Print(v)
	}
	if <-c == 0 {
		return
	} else if v, ok := <-c; !ok || v != 0 {
		return
	}
	switch v := <-c; {
	case v == 7:
		o.Print("switch")
	}
	d := full[any](8)
	switch v := (<-d).(type) {
	case string:
	case int:
		o.Print(fmt.Sprintf("type %T", v))
	}
}

func receiveArguments(o *show.Out) {
	c := full(1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 10)
	type pair struct{ a, b int }
	o.Print(<-c, <-c, []int{<-c, <-c}, map[int]int{<-c: <-c}, pair{b: <-c + 1, a: <-c - 1}, [...]int{2: <-c})
	func(vs ...int) { o.Print(vs[1]) }(<-c, <-c)
}

func receiveOperators(o *show.Out) {
	c := full(2, 2, 4, 1, 3, 1, 0)
	x := 1
	x += <-c
	o.Print(x)
	x <<= <-c
	o.Print(x)
	a := []int{1, 1}
	i := 1
	a[i] += <-c
	o.Print(a)
	a[<-c]++
	o.Print(a[1])
	p := &x
	*p &^= <-c << 2
	*p -= 12 - <-c*14
	o.Print(*p)
	s := full("b")
	t := "a"
	t += <-s
	o.Print(t)
	b := true
	b, t = <-c == 1, ""
	o.Print(b)
	m := map[int]int{1: 3}
	m[<-full(1)] |= (<-full(5)) ^ 13
	o.Print(m[1] - 3)
}

func receiveOrder(o *show.Out) {
	var trace []string
	tr := func(s string, v int) int { trace = append(trace, s); return v }
	get := func(s string, v int) chan int { trace = append(trace, s); return full(v) }
	v := []int{tr("f", 1), <-get("a", 2), tr("g", 3), <-get("b", 4), tr("h", 5)}
	o.Print(trace, v[2])
	c := full(2, 1)
	a, b := <-c, <-c
	a, b = b, a
	o.Print(a, a-b)
}

func receiveShort(o *show.Out) {
	c := full(1, 2)
	o.Print(<-c == 2 && <-c == 2)
	o.Print(<-c == 2 || <-c == 2, 1-len(c))
}

func receiveOk(o *show.Out) {
	c := closed(1)
	v, ok := <-c
	o.Print(v, ok)
	v, ok = (<-(c))
	o.Print(v, ok)
	type yes bool
	var y yes
	var x any
	x, y = <-closed[error]()
	o.Print(x, y)
	var w, z = <-c
	if !z {
		o.Print("yes", w)
	}
	_, _ = <-c
	var e error
	e, _ = <-closed[error]()
	o.Print(e)
}

type flagOf[T any] bool

func receiveOkNameless(o *show.Out) {
	type yes bool
	var v int
	var y yes
	c := closed(1)
	{
		yes := 2
		_ = yes
		v, y = <-c
		o.Print(v, y)
		v, y = <-c
		o.Print(v, y)
	}
	var z flagOf[string]
	var l [1]int
	c = closed(1)
	l[0], z = <-c
	o.Print(l[0], z)
	l[0], z = <-c
	o.Print(l[0], z)
}

func receiveReturns(o *show.Out) {
	c := full(1, 2, 3, 4, 5)
	two := func() (int, int) { return <-c, <-c }
	o.Print(two())
	named := func() (n int) {
		defer func() { n += <-c }()
		return <-c - 2
	}
	n := named()
	o.Print(n)
	sum := func(a, b int) int { return a + b }
	c <- 1
	o.Print(sum(two()))
	err := func() (v int, err error) { v = <-full(5); return v, <-full[error](nil) }
	o.Print(err())
}

func receiveOperands(o *show.Out) {
	c := full(1, 1, 1, 4, 1, 3)
	o.Print(-<-c, !(<-c == 0), <-c<<1|1)
	o.Print(1+<-c, string(rune('d'+<-c-1))+"", "abc"[<-c-2:])
}

func sendConversions(o *show.Out) {
	c := make(chan any, 9)
	c <- 1
	c <- 'a'
	c <- 1.5
	c <- nil
	c <- show.Program{}
	for range 5 {
		o.Print(fmt.Sprintf("%T", <-c))
	}
	f := make(chan float64, 1)
	n := uint(2)
	f <- 1 << 2
	o.Print(<-f)
	i := make(chan int64, 1)
	i <- 2 << n
	o.Print(<-i)
	r := make(chan fmt.Stringer, 1)
	r <- stringer("bytes")
	o.Print((<-r).String())
}

type stringer []byte

func (s stringer) String() string { return string(s) }

func sendOrder(o *show.Out) {
	var trace []string
	c := func() chan int { trace = append(trace, "c"); return full[int]() }
	v := func() int { trace = append(trace, "v"); return 1 }
	c() <- v()
	o.Print(trace)
	trace = nil
	show.Panics(func() {
		c() <- func() int { trace = append(trace, "panic"); panic(1) }()
	})
	o.Print(trace)
}

func receiveBoth(o *show.Out) {
	c, d := make(chan int), make(chan int)
	for i := range 2 {
		go func() { c <- i + 1 }()
		go func() { d <- <-c }()
	}
	o.Print(<-d, <-d)
}

func sendBuffer(o *show.Out) {
	c := make(chan int, 2)
	go func() {
		for i := range 3 {
			c <- i + 1
		}
	}()
	o.Print(<-c, <-c, <-c)
}
