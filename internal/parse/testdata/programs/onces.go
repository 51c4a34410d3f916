package programs

import (
	"errors"
	"sync"

	"example.com/programs/show"
)

var onces = []show.Program{
	{Name: "once: two goroutines", Run: onceTwo, Allowed: []string{"first 1 1", "second 1 1"}},
	{Name: "once: waits for the first", Run: onceWaits, Allowed: []string{"set set"}},
	{Name: "once: panics", Run: oncePanics, Allowed: []string{"once <nil> func func value value"}},
	{Name: "once: OnceFunc, OnceValue, OnceValues", Run: onceValues, Allowed: []string{"f 3 3 a bad a bad 3"}},
	{Name: "once: nested and method values", Run: onceNested, Allowed: []string{"inner outer done"}},
}

func onceTwo(o *show.Out) {
	var once sync.Once
	n := 0
	var wg sync.WaitGroup
	for _, name := range []string{"first", "second"} {
		wg.Go(func() { once.Do(func() { n++; o.Print(name) }) })
	}
	wg.Wait()
	once.Do(func() { n++ })
	o.Print(n, n)
}

func onceWaits(o *show.Out) {
	var s struct {
		sync.Once
		v string
	}
	c := make(chan bool, 2)
	out := make(chan string, 2)
	for range 2 {
		go func() {
			s.Do(func() { <-c; s.v = "set" })
			out <- s.v
		}()
	}
	c <- true
	o.Print(<-out, <-out)
}

func oncePanics(o *show.Out) {
	var once sync.Once
	o.Print(show.Panics(func() { once.Do(func() { panic("once") }) }))
	o.Print(show.Panics(func() { once.Do(func() { panic("twice") }) }))
	f := sync.OnceFunc(func() { panic("func") })
	v := sync.OnceValue(func() int { panic("value") })
	for range 2 {
		o.Print(show.Panics(f))
	}
	for range 2 {
		o.Print(show.Panics(func() { v() }))
	}
}

func onceValues(o *show.Out) {
	n := 0
	f := sync.OnceFunc(func() { o.Print("f") })
	v := sync.OnceValue(func() int { n++; return <-full(3) })
	vs := sync.OnceValues(func() (string, error) { n++; return "a", errors.New("bad") })
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(f)
		wg.Go(func() { v(); vs() })
	}
	wg.Wait()
	o.Print(v(), v())
	for range 2 {
		o.Print(vs())
	}
	o.Print(n + 1)
}

func onceNested(o *show.Out) {
	var outer, inner sync.Once
	do := outer.Do
	c := make(chan bool)
	go func() {
		do(func() {
			inner.Do(func() { o.Print("inner") })
			o.Print("outer")
		})
		(*sync.Once).Do(&inner, func() { o.Print("never") })
		close(c)
	}()
	do(func() { inner.Do(func() { o.Print("inner") }); o.Print("outer") })
	<-c
	o.Print("done")
}
