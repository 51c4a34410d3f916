package programs

import (
	"strings"
	"sync"

	"example.com/programs/other"
	"example.com/programs/show"
)

var goes = []show.Program{
	{Name: "go: operands by the parent", Run: goOperands, Allowed: []string{"[f a b] 1 2"}},
	{Name: "go: fields and elements by the parent", Run: goParts, Allowed: []string{"1 2 3"}},
	{Name: "go: method values and expressions", Run: goMethods, Allowed: []string{"1 2 3 4 5 6"}},
	{Name: "go: builtins", Run: goBuiltins, Allowed: []string{"closed 0 1 panic"}},
	{Name: "go: callees", Run: goCallees, Allowed: []string{"1 2 3 4 5 6 7"}},
	{Name: "go: two goroutines", Run: goTwo, Allowed: []string{"a b", "b a"}},
	{Name: "go: loop variables", Run: goLoops, Allowed: []string{"0 1 2", "0 2 1", "1 0 2", "1 2 0", "2 0 1", "2 1 0"}},
	{Name: "go: of other packages", Run: goOther, Allowed: []string{"A 1 B", "B A 1"}},
	{Name: "go: nested", Run: goNested, Allowed: []string{"42"}},
	{Name: "go: main does not wait", Run: goAbandoned, Allowed: []string{"main", "other main"}},
}

type counter struct {
	n    int
	out  chan int
	f    func(int)
	next *counter
}

func (c counter) value()            { c.out <- c.n }
func (c *counter) pointer()         { c.out <- c.n }
func (c *counter) add(k int) int    { c.out <- c.n + k; return k }
func (c *counter) self() *counter   { return c }
func (c *counter) many(vs ...int)   { c.out <- c.n + len(vs) }
func (c *counter) pair() (int, int) { return c.n, 1 }

type valuer interface{ value() }

func goOperands(o *show.Out) {
	var trace []string
	out := make(chan int, 2)
	tr := func(s string, v int) int { trace = append(trace, s); return v }
	f := func() func(int, int) { trace = append(trace, "f"); return func(a, b int) { out <- a; out <- b } }
	x := 1
	go f()(tr("a", x), tr("b", x+1))
	x = 9
	o.Print(trace, <-out, <-out)
}

func goParts(o *show.Out) {
	c, elements, p := counter{n: 1}, []int{2}, new(int)
	*p = 3
	out := make(chan int)
	go variadic(out, c.n)
	c.n = 7
	o.Print(<-out)
	go variadic(out, elements[0])
	elements[0] = 8
	o.Print(<-out)
	go variadic(out, *p)
	*p = 9
	o.Print(<-out)
}

func goMethods(o *show.Out) {
	c := &counter{n: 1, out: make(chan int)}
	go c.value()
	c.n = 2
	o.Print(<-c.out)
	go (*counter).pointer(c)
	o.Print(<-c.out)
	f := c.add
	go f(1)
	o.Print(<-c.out)
	var v valuer = counter{n: 4, out: c.out}
	go v.value()
	v = nil
	o.Print(<-c.out)
	c.next = &counter{n: 5, out: c.out}
	go c.next.self().value()
	c.next = nil
	o.Print(<-c.out)
	go counter.value(counter{n: 6, out: c.out})
	o.Print(<-c.out)
}

func goBuiltins(o *show.Out) {
	c := make(chan int)
	go close(c)
	_, ok := <-c
	if !ok {
		o.Print("closed")
	}
	m := map[string]int{"a": 1}
	dst := make([]int, 1)
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		defer delete(m, "a")
		defer copy(dst, []int{1})
		defer clear(map[int]int{})
	}()
	wg.Wait()
	o.Print(len(m), dst[0])
	wg.Add(1)
	go func() {
		defer wg.Done()
		defer func() { o.Print(recover()) }()
		defer panic("panic")
	}()
	wg.Wait()
}

func variadic[T any](out chan T, vs ...T) { out <- vs[len(vs)-1] }

func goCallees(o *show.Out) {
	out := make(chan int)
	go (func() { out <- 1 })()
	o.Print(<-out)
	go (variadic[int])(out, 1, 2)
	o.Print(<-out)
	go variadic(out, []int{3}...)
	o.Print(<-out)
	go func() int { out <- 4; return 0 }()
	o.Print(<-out)
	fs := map[string]func(...int){"a": func(vs ...int) { out <- vs[0] }}
	go fs["a"](5)
	delete(fs, "a")
	o.Print(<-out)
	c := &counter{n: 5, out: out}
	sum := func(a, b int) { out <- a + b }
	go sum(c.pair())
	o.Print(<-out)
	c.f = func(n int) { out <- n }
	go c.f(7)
	c.f = nil
	o.Print(<-out)
}

func goTwo(o *show.Out) {
	c := make(chan string, 2)
	go func() { c <- "a" }()
	go func() { c <- "b" }()
	o.Print(<-c)
	o.Print(<-c)
}

func goLoops(o *show.Out) {
	c := make(chan int)
	for i := 0; i < 3; i++ {
		go func() { c <- i }()
	}
	o.Print(<-c, <-c, <-c)
}

func goOther(o *show.Out) {
	b := other.NewBox[string](1)
	go b.Put("A 1")
	go b.Put("B")
	first := b.Get()
	if first == "B" {
		o.Print(first)
		first = ""
	}
	words := []string{first, b.Get()}
	o.Print(strings.TrimSpace(strings.Join(words, " ")))
}

func goNested(o *show.Out) {
	c := make(chan int)
	go func(f func(int) int) {
		go func(g func() int) {
			c <- g()
		}(func() int { return f(<-c) })
	}(func(i int) int { return i * 2 })
	c <- 21
	o.Print(<-c)
}

func goAbandoned(o *show.Out) {
	go func() { o.Print("other") }()
	<-full(1)
	o.Print("main")
}
