package programs

import (
	"sync"

	"example.com/programs/other"
	"example.com/programs/show"
)

var generics = []show.Program{
	{Name: "generic: channels by core type", Run: genericCore, Allowed: []string{"1 2 3 done"}},
	{Name: "generic: pipelines", Run: genericPipeline, Allowed: []string{"2 4 6"}},
	{Name: "generic: lockers", Run: genericLockers, Allowed: []string{"2 2 true"}},
	{Name: "generic: a type with methods", Run: genericTypes, Allowed: []string{"x y 2"}},
	{Name: "generic: instances and values", Run: genericValues, Allowed: []string{"7 s 8"}},
	{Name: "generic: merge", Run: genericMerge, Allowed: []string{"a b", "b a"}},
}

type ints chan int

func copyAll[D ~chan<- T | ~chan T, S ~<-chan T | ~chan T, T any](to D, from S) {
	for v := range from {
		to <- v
	}
	close(to)
}

func genericCore(o *show.Out) {
	c := make(ints)
	go copyAll[ints, chan int, int](c, closed(1, 2, 3))
	for v := range c {
		o.Print(v)
	}
	d := make(chan string, 1)
	go copyAll((chan<- string)(d), (<-chan string)(closed("done")))
	o.Print(<-d)
}

func apply[T, U any](in <-chan T, f func(T) U) <-chan U {
	out := make(chan U)
	go func() {
		defer close(out)
		for v := range in {
			select {
			case out <- f(v):
			}
		}
	}()
	return out
}

func genericPipeline(o *show.Out) {
	for v := range apply(apply(closed(1, 2, 3), func(v int) float64 { return float64(v) }), func(v float64) int { return int(v * 2) }) {
		o.Print(v)
	}
}

func locked[L sync.Locker](l L, f func()) {
	l.Lock()
	defer l.Unlock()
	f()
}

type pointer[T any] interface {
	*T
	sync.Locker
}

type guarded[T any, P pointer[T], V any] struct {
	mu T
	v  V
}

func (g *guarded[T, P, V]) set(v V) {
	P(&g.mu).Lock()
	defer P(&g.mu).Unlock()
	g.v = v
}

func genericLockers(o *show.Out) {
	var mu sync.RWMutex
	n := 0
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { locked(&mu, func() { n++ }) })
	}
	wg.Wait()
	o.Print(n)
	locked(mu.RLocker(), func() { o.Print(n) })
	var g guarded[sync.Mutex, *sync.Mutex, bool]
	g.set(true)
	o.Print(g.v)
}

func genericTypes(o *show.Out) {
	b := other.NewBox[string](1)
	go func() { b.Put("x"); b.Put("y") }()
	o.Print(b.Get(), b.Get())
	c := other.NewBox[int](2)
	put := c.Put
	put(2)
	o.Print((*other.Box[int]).Get(c))
}

func identity[T any](c chan T) T { return <-c }

func genericValues(o *show.Out) {
	f := identity[int]
	o.Print(f(full(7)), identity(full("s")))
	done := make(chan int)
	go func(f func(chan int) int) { done <- f(full(8)) }(identity)
	o.Print(<-done)
}

func merge[T any, C ~[]E, E ~chan T](cs C) chan T {
	out := make(chan T)
	var wg sync.WaitGroup
	wg.Add(len(cs))
	for _, c := range cs {
		go func(c E) {
			defer wg.Done()
			for v := range c {
				out <- v
			}
		}(c)
	}
	go func() { wg.Wait(); close(out) }()
	return out
}

func genericMerge(o *show.Out) {
	for v := range merge[string]([]chan string{closed("a"), closed("b")}) {
		o.Print(v)
	}
}
