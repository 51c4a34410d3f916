package programs

import (
	"iter"

	"example.com/programs/show"
)

var ranges = []show.Program{
	{Name: "range: with and without variable", Run: rangeVariables, Allowed: []string{"3 2 1 [9 0] 9 7"}},
	{Name: "range: variables per iteration", Run: rangeClosures, Allowed: []string{"0 1 2 3 4 5"}},
	{Name: "range: the operand once", Run: rangeOperand, Allowed: []string{"1 3 nil"}},
	{Name: "range: over functions", Run: rangeFunctions, Allowed: []string{"0 2 deferred 3 cleaned 4 3"}},
	{Name: "range: over functions that receive", Run: rangeGenerator, Allowed: []string{"1 2 stopped"}},
	{Name: "range: over integers and maps", Run: rangeOthers, Allowed: []string{"3 6 2"}},
	{Name: "range: two consumers", Run: rangeShared, Allowed: []string{"6"}},
}

func rangeVariables(o *show.Out) {
	n := 0
	for range closed(1, 2, 3) {
		n++
	}
	o.Print(n)
	for _ = range closed(1) {
		n--
	}
	o.Print(n)
	var v int
	for v = range closed(3, 2, 1) {
	}
	o.Print(v)
	a, i := []int{0, 0}, 0
	for a[i] = range closed(9) {
	}
	o.Print(a)
	var x any
	p := &struct{ f any }{}
	for x = range closed(8, 9) {
		p.f = x
	}
	o.Print(p.f)
	for v := range closed(7) {
		v := v
		o.Print(v)
	}
}

func rangeClosures(o *show.Out) {
	var fs []func() int
	for v := range closed(0, 1, 2) {
		fs = append(fs, func() int { v++; return v - 1 })
	}
	done := make(chan int, 3)
	for v := range closed(3, 4, 5) {
		v := v
		go func() { done <- v }()
		fs = append(fs, func() int { return v })
	}
	for _, f := range fs {
		o.Print(f())
	}
	for range 3 {
		<-done
	}
}

func rangeOperand(o *show.Out) {
	n := 0
	get := func() chan int { n++; return closed(1, 2, 3) }
	last := 0
	for last = range get() {
	}
	o.Print(n, last)
	type mine <-chan string
	for s := range mine(closed("nil")) {
		o.Print(s)
	}
}

func each(c <-chan int, stop func()) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		defer stop()
		i := 0
		for v := range c {
			if !yield(i, v) {
				return
			}
			i++
		}
	}
}

func rangeFunctions(o *show.Out) {
	cleaned := 0
	stop := func() { cleaned++ }
	f := func() (n int) {
		defer func() { o.Print("deferred", n) }()
	outer:
		for i, v := range each(closed(0, 1, 2, 3), stop) {
			for range each(closed(5, 6), stop) {
				if v == 1 {
					continue outer
				}
				break
			}
			o.Print(v)
			if i == 2 {
				c := make(chan int)
				defer func() { n += <-c }()
				go func() { c <- v; c <- 1 }()
				return <-c
			}
		}
		return 0
	}
	n := f()
	o.Print("cleaned", cleaned, n)
}

func rangeGenerator(o *show.Out) {
	stop := make(chan bool)
	c := make(chan int, 1)
	go func() {
		for i := 1; ; i++ {
			select {
			case c <- i:
			case <-stop:
				close(c)
				return
			}
		}
	}()
	seq := func(yield func(int) bool) {
		defer close(stop)
		for yield(<-c) {
		}
	}
	for v := range seq {
		o.Print(v)
		if v == 2 {
			break
		}
	}
	o.Print("stopped")
	for range c {
	}
}

func rangeOthers(o *show.Out) {
	c := make(chan int, 9)
	for i := range 3 {
		go func() { c <- i }()
	}
	n := 0
	for range 3 {
		n += <-c
	}
	o.Print(n)
	for k, v := range map[int]int{1: 2, 2: 1} {
		c <- k + v
	}
	o.Print(<-c + <-c)
	for i, r := range "ab" {
		c <- i
		_ = r
	}
	o.Print(len(c))
}

func rangeShared(o *show.Out) {
	c, sums := make(chan int), make(chan int)
	for range 2 {
		go func() {
			sum := 0
			for v := range c {
				sum += v
			}
			sums <- sum
		}()
	}
	for i := range 4 {
		c <- i
	}
	close(c)
	o.Print(<-sums + <-sums)
}
