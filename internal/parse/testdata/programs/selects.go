package programs

import (
	"fmt"

	"example.com/programs/show"
)

var selects = []show.Program{
	{Name: "select: operands once and in order", Run: selectOrder, Allowed: []string{"[a b c d e] default [x i] [0 7]"}},
	{Name: "select: sends and receives", Run: selectBoth, Allowed: []string{"sent 1 0", "received 5 0", "sent 2 1"}},
	{Name: "select: default and a partner", Run: selectDefault, Allowed: []string{"1", "default"}},
	{Name: "select: default in front and between", Run: selectDefaultBefore, Allowed: []string{"b 2 c 3 default d 4"}},
	{Name: "select: assignments", Run: selectAssign, Allowed: []string{"[0 4] 1 map[k:5] true 6 false 0 7"}},
	{Name: "select: labels", Run: selectLabels, Allowed: []string{"0 2 3 break 2 again 3"}},
	{Name: "select: merge", Run: selectMerge, Allowed: []string{
		"1 2 3 4", "1 3 2 4", "1 3 4 2", "3 1 2 4", "3 1 4 2", "3 4 1 2",
	}},
	{Name: "select: nested", Run: selectNested, Allowed: []string{"inner 3 outer 4", "inner 3 none"}},
	{Name: "select: both sides", Run: selectSides, Allowed: []string{"a to b", "b to a"}},
	{Name: "select: closed, nil and buffered", Run: selectClosed, Allowed: []string{"1 true 2 true 0 false nil send on closed channel"}},
	{Name: "select: in expressions of functions", Run: selectFunc, Allowed: []string{"7 8 9"}},
	{Name: "select: senders compete", Run: selectCompete, Allowed: []string{"a b", "b a"}},
	{Name: "select: single and empty", Run: selectSingle, Allowed: []string{"3 true 0 false"}},
}

func selectOrder(o *show.Out) {
	var trace []string
	c := func(name string, c chan int) chan int { trace = append(trace, name); return c }
	v := func(name string, v int) int { trace = append(trace, name); return v }
	var none chan int
	select {
	case <-c("a", none):
	case c("b", none) <- v("c", 1):
	case (c("d", make(chan int))) <- (v("e", 2)):
	default:
		o.Print(trace, "default")
	}
	trace = nil
	a := make([]int, 2)
	select {
	case a[v("i", 1)] = <-c("x", full(7)):
		o.Print(trace, a)
	}
}

func selectBoth(o *show.Out) {
	in, out := full(5), make(chan int, 1)
	go func() { out <- 2 }() // which fills the buffer
	select {
	case v := <-in:
		o.Print("received", v, len(in))
	case out <- 1:
		if v := <-out; v == 1 {
			o.Print("sent", v, 0)
		}
	case v := <-out:
		o.Print("sent", v, len(in))
	}
}

func selectDefault(o *show.Out) {
	c, done := make(chan int), make(chan bool)
	go func() {
		select {
		case c <- 1:
		case <-done:
		}
	}()
	select {
	case v := <-c:
		o.Print(v)
	default:
		o.Print("default")
	}
	close(done)
}

func selectDefaultBefore(o *show.Out) {
	var none chan int
	select {
	case <-none:
		o.Print("a")
	default:
		o.Print("default")
	case x := <-full(2):
		o.Print("b", x)
	}
	select {
	default:
		o.Print("default")
	case <-none:
		o.Print("a")
	case x := <-full(3):
		o.Print("c", x)
	}
	select {
	default:
		o.Print("default")
	case none <- 1:
		o.Print("a")
	case <-none:
		o.Print("b")
	}
	c := make(chan int, 1)
	select {
	default:
		o.Print("default")
	case c <- 4:
		o.Print("d", <-c)
	}
}

func selectAssign(o *show.Out) {
	a, i := make([]int, 2), 0
	next := func() int { i++; return i }
	select {
	case a[next()] = <-full(4):
	case a[next()+1] = <-chan int(nil):
	}
	o.Print(a, i)
	m, ok := map[string]int{}, false
	select {
	case m["k"], ok = <-full(5):
		o.Print(m, ok)
	}
	var p struct{ x, y any }
	select {
	case p.x = <-full(6):
		o.Print(p.x)
	}
	q := &p
	select {
	case _, q.y = <-closed[int]():
		o.Print(q.y, len(a[:0]))
	}
	select {
	case *func() *any { return &q.x }() = <-full(7):
		o.Print(p.x)
	}
}

func selectLabels(o *show.Out) {
	c := full(0, 1, 2, 3, 4)
loop:
	for {
		select {
		case v := <-c:
			if v == 1 {
				continue loop
			}
			o.Print(v)
			if v < 3 {
				break
			}
			break loop
		}
	}
sel:
	select {
	case <-c:
		for {
			if len(c) == 0 {
				o.Print("break")
				break sel
			}
		}
	}
	n := 0
	c <- 1
	c <- 2
again:
	select {
	case v := <-c:
		if v == 2 {
			o.Print(v)
			goto out
		}
		n++
		goto again
	}
out:
	o.Print("again")
	switch {
	default:
		select {
		default:
			break
		}
		o.Print(n + 2)
	}
}

func selectMerge(o *show.Out) {
	a, b := make(chan int), make(chan int)
	go func() { defer close(a); a <- 1; a <- 2 }()
	go func() { defer close(b); b <- 3; b <- 4 }()
	for a != nil || b != nil {
		select {
		case v, ok := <-a:
			if !ok {
				a = nil
				continue
			}
			o.Print(v)
		case v, ok := <-b:
			if !ok {
				b = nil
				continue
			}
			o.Print(v)
		}
	}
}

func selectNested(o *show.Out) {
	cc := full(full(3, 4))
	done := make(chan bool)
	c := <-cc
	cc <- c
	go func() { cc <- c; close(done) }()
	select {
	case v := <-<-cc:
		select {
		case c := <-cc:
			o.Print("inner", v, "outer", <-c)
		default:
			o.Print("inner", v, "none")
		}
	}
	<-done
}

func selectSides(o *show.Out) {
	c, done := make(chan string), make(chan bool)
	side := func(name string) {
		select {
		case c <- name:
		case other := <-c:
			o.Print(other, "to", name)
		}
		done <- true
	}
	go side("a")
	go side("b")
	<-done
	<-done
}

func selectClosed(o *show.Out) {
	c := closed(1, 2)
	for range 3 {
		select {
		case v, ok := <-c:
			o.Print(v, ok)
		}
	}
	var none chan int
	select {
	case none <- <-c:
	case <-none:
	default:
		o.Print("nil")
	}
	o.Print(show.Panics(func() {
		select {
		case c <- 1:
		default:
		}
	}))
}

func selectFunc(o *show.Out) {
	get := func(c chan int) int {
		select {
		case v := <-c:
			return v
		}
	}
	named := func(c chan int) (v int, err error) {
		select {
		case v = <-c:
			return
		case <-make(chan int):
			panic("never")
		}
	}
	v, err := named(full(8))
	o.Print(get(full(7)), v)
	if err == nil {
		f := func() (s string) {
			defer func() { s = fmt.Sprint(get(full(9))) }()
			return ""
		}
		o.Print(f())
	}
}

func selectCompete(o *show.Out) {
	c, stop := make(chan string), make(chan bool)
	for _, name := range []string{"a", "b", "c"} {
		if name == "c" {
			break
		}
		go func() {
			select {
			case c <- name:
			case <-stop:
			}
		}()
	}
	o.Print(<-c)
	o.Print(<-c)
	close(stop)
}

func selectSingle(o *show.Out) {
	c := make(chan int)
	go func() {
		select {
		case c <- 3:
		}
		close(c)
	}()
	for range 2 {
		select {
		case v, ok := <-c:
			o.Print(v, ok)
		}
	}
	go func() { select {} }()
}
