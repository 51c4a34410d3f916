package parse

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/source"
)

// ordinaryFunctions are those of the ordinary run, in one form of instrumentation for each
// language version.
const ordinaryFunctions = 24

var (
	randomFunctions = flag.Int("functions", ordinaryFunctions, "functions of the random program of TestRandomProgram; not those of the ordinary run: in all forms of instrumentation")
	randomSeed      = flag.Uint64("functionsfrom", 1, "seed of the first of them")
)

// randomPrelude is what the functions of a random program use. What they do, in which order
// they evaluate their operands, and what their variables are after each statement is noted.
const randomPrelude = `package random

import (
	"fmt"
	"sync"
	"sync/atomic"
)

type trace struct{ lines []string }

func (o *trace) add(v ...any) { o.lines = append(o.lines, fmt.Sprint(v...)) }

func (o *trace) t(k int) int { o.add("t", k); return k }

func (o *trace) b(k int, v bool) bool { o.add("b", k, v); return v }

func (o *trace) c(k int, c chan int) chan int { o.add("c", k); return c }

func (o *trace) at(k int, p *int) *int { o.add("at", k); return p }

type flag bool

type inner struct {
	n  int
	ok bool
	f  flag
}

type node struct {
	inner
	sync.Mutex
	m     int
	arr   [3]int
	pairs map[int]bool
}

func (n *node) locked(f func() int) int {
	if n.TryLock() { // it may be within another call
		defer n.Unlock()
	}
	return f()
}

func (n node) copied() int { return n.m }

// latch is a lock that is no lock of package sync.
type latch chan int

func (l latch) Lock() { l <- 1 }

func (l latch) Unlock() { <-l }

// later is a function whose result is deferred, or has a method that is.
func (o *trace) later(k, x int) func(...int) {
	o.add("later", k)
	return func(y ...int) { o.add("called", k, x, y) }
}

func (o *trace) lock(k int) interface{ Unlock() } {
	o.add("lock", k)
	if k%3 == 0 {
		return nil
	}
	return latch(full(k))
}

type withLocker struct{ sync.Locker }

func full(v ...int) chan int {
	c := make(chan int, len(v)+2)
	for _, x := range v {
		c <- x
	}
	return c
}

func shut(v ...int) chan int {
	c := full(v...)
	close(c)
	return c
}

func index(i int) int { return (i%3 + 3) % 3 }

func small(i int) int { return (i%50 + 50) % 50 }

func receive[T any](c <-chan T) (v T, ok bool) {
	v, ok = <-c
	return
}

func first[T any](c <-chan T) T { return <-c }

func each(c chan int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for v := range c {
			if !yield(v) {
				return
			}
		}
	}
}

var (
	_ = atomic.Int32{}
	_ sync.WaitGroup
)

// Outputs are what the functions do.
func Outputs(run func(name string, f func())) (out []string) {
	for i, f := range functions {
		var o trace
		run(fmt.Sprint("f", i), func() {
			defer func() {
				if v := recover(); v != nil {
					o.add("panic: ", v)
				}
			}()
			f(&o)
		})
		out = append(out, fmt.Sprintf("f%d: %q", i, o.lines))
	}
	return out
}
`

const randomFree = `package random

import (
	"fmt"
	"testing"
)

func TestFree(t *testing.T) {
	for _, l := range Outputs(func(_ string, f func()) { f() }) {
		fmt.Println(l)
	}
}
`

const randomControlled = `package random

import (
	"fmt"
	"testing"
	"testing/synctest"

	orc "vtraceorc"
)

func TestControlled(t *testing.T) {
	for seed := range uint64(2) {
		for _, l := range Outputs(func(name string, f func()) {
			res := orc.Run(orc.Config{
				Bubble: orc.Bubble{
					Run:  func(f func()) { synctest.Test(t, func(*testing.T) { f() }) },
					Wait: synctest.Wait,
				},
				Main: f, Plan: orc.Plan{MaxSteps: 50000, Seed: seed}, Chooser: orc.Random(seed), NoLog: true, Races: RACES,
			})
			if res.Verdict != orc.Completed || res.Outcome.Kind != "" || res.Weak || res.Left != "" || len(res.Races) > 0 {
				fmt.Println(name, res.Verdict, res.Outcome.Kind, res.Message, res.Notes, res.Races)
			}
		}) {
			fmt.Println(l)
		}
	}
}
`

// program writes a random program: functions with everything that is rewritten, in the places
// where it can stand. Each ends by itself, and does the same in every run.
type program struct {
	*rand.Rand
	strings.Builder
	names int // of variables, labels and traced operands
	depth int
	loops []string // labels of loops and switches around
	pre22 bool
}

func (p *program) put(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

func (p *program) next() int { p.names++; return p.names }

func (p *program) one(of ...func() string) string {
	return of[p.IntN(len(of))]()
}

// number is an expression; d is how deep it may be.
func (p *program) number(d int) string {
	text := func(s string) func() string { return func() string { return s } }
	simple := []func() string{
		text("a"), text("b"), text("n.n"), text("n.m"), text("n.arr[1]"), text("s[0]"), text("m[2]"), text("*pa"),
		func() string { return fmt.Sprint(p.IntN(5)) },
		func() string { return fmt.Sprintf("o.t(%d)", p.next()) },
	}
	if d <= 0 {
		return p.one(simple...)
	}
	e := func() string { return p.number(d - 1) }
	return p.one(append(simple,
		func() string { return fmt.Sprintf("<-%s", p.channel(d-1)) },
		func() string { return fmt.Sprintf("(<-%s)", p.channel(d-1)) },
		func() string { return fmt.Sprintf("%s + <-%s", e(), p.channel(d-1)) },
		func() string { return fmt.Sprintf("%s - (%s)", e(), e()) },
		func() string { return fmt.Sprintf("(%s) * (%s)", e(), e()) },
		func() string { return fmt.Sprintf("n.arr[index(%s)]", e()) },
		func() string { return fmt.Sprintf("s[index(%s)]", e()) },
		func() string { return fmt.Sprintf("m[small(%s)]", e()) },
		func() string { return fmt.Sprintf("first(%s)", p.channel(d-1)) },
		func() string { return fmt.Sprintf("first[int](%s)", p.channel(d-1)) },
		func() string { return fmt.Sprintf("func() int { return <-%s }()", p.channel(d-1)) },
		func() string { return fmt.Sprintf("n.locked(func() int { return %s })", e()) },
		func() string { return fmt.Sprintf("[]int{%s, %s}[1]", e(), e()) },
		func() string { return fmt.Sprintf("(node{m: %s}).m", e()) },
		func() string { return "n.copied()" },
		func() string { return fmt.Sprintf("(*node).locked(n, func() int { return %s })", e()) },
		func() string { return fmt.Sprintf("min(%s, %s)", e(), e()) },
		func() string { return fmt.Sprintf("len(%s)", p.channel(d-1)) },
		func() string { return fmt.Sprintf("int(at.Add(int32(small(%s))))", e()) },
		func() string { return "int(at.Load())" },
		func() string { return fmt.Sprintf("int(atomic.AddInt32(&raw, int32(small(%s))))", e()) },
		func() string { return fmt.Sprintf("any(<-%s).(int)", p.channel(d-1)) },
	)...)
}

func (p *program) truth(d int) string {
	simple := []func() string{
		func() string { return "ok" }, func() string { return "bool(f)" }, func() string { return "n.ok" }, func() string { return "bool(n.f)" },
	}
	if d <= 0 {
		return p.one(simple...)
	}
	return p.one(append(simple,
		func() string { return fmt.Sprintf("%s < %s", p.number(d-1), p.number(d-1)) },
		func() string { return fmt.Sprintf("!(%s)", p.truth(d-1)) },
		func() string { return fmt.Sprintf("(%s && %s)", p.truth(d-1), p.truth(d-1)) },
		func() string { return fmt.Sprintf("(%s || %s)", p.truth(d-1), p.truth(d-1)) },
		func() string { return fmt.Sprintf("o.b(%d, %s)", p.next(), p.truth(d-1)) },
		func() string { return fmt.Sprintf("at.CompareAndSwap(%d, %d)", p.IntN(3), p.IntN(3)) },
		func() string { return "mu.TryLock() && func() bool { mu.Unlock(); return true }()" },
	)...)
}

// channel is a channel from which there is something to receive.
func (p *program) channel(d int) string {
	return p.one(
		func() string { return fmt.Sprintf("full(%s)", p.number(d-1)) },
		func() string { return fmt.Sprintf("full(%s, %s)", p.number(d-1), p.number(d-1)) },
		func() string { return "shut()" },
		func() string { return fmt.Sprintf("shut(%s)", p.number(d-1)) },
		func() string { return fmt.Sprintf("o.c(%d, full(%s))", p.next(), p.number(d-1)) },
	)
}

// target is a number that may be assigned to.
func (p *program) target() string {
	return p.one(
		func() string { return "a" }, func() string { return "b" }, func() string { return "n.n" }, func() string { return "n.m" },
		func() string { return "*pa" }, func() string { return fmt.Sprintf("*o.at(%d, &b)", p.next()) },
		func() string { return fmt.Sprintf("n.arr[index(%s)]", p.number(1)) },
		func() string { return fmt.Sprintf("s[index(%s)]", p.number(1)) },
		func() string { return fmt.Sprintf("m[small(%s)]", p.number(1)) },
	)
}

func (p *program) targetOrBlank() string {
	if p.IntN(5) == 0 {
		return "_"
	}
	return p.target()
}

func (p *program) truthTarget() string {
	return p.one(
		func() string { return "ok" }, func() string { return "f" }, func() string { return "n.ok" }, func() string { return "n.f" },
		func() string { return fmt.Sprintf("n.pairs[small(%s)]", p.number(1)) }, func() string { return "_" },
	)
}

func (p *program) block(n int) {
	p.depth++
	for range n {
		p.statement()
	}
	p.depth--
}

// leave may leave or go on with a loop around.
func (p *program) leave() {
	if n := len(p.loops); n > 0 && p.IntN(2) == 0 {
		word := []string{"break", "continue"}[p.IntN(2)]
		p.put("if %s { %s %s }", p.truth(1), word, p.loops[p.IntN(n)])
	}
}

func (p *program) loop(head string, body func()) {
	l := fmt.Sprintf("l%d", p.next())
	p.put("%s:\nfor %s {", l, head)
	outer := p.loops
	p.loops = append(p.loops[:len(p.loops):len(p.loops)], l)
	body()
	p.leave()
	p.block(1)
	p.put("if o.t(0) > 0 { continue %s }", l)
	p.loops = outer
	p.put("}")
}

// inFunction is a body in which there are no labels of loops around.
func (p *program) inFunction(body func()) {
	outer := p.loops
	p.loops = nil
	body()
	p.loops = outer
}

// clause is a case of a select that is ready, or may not be taken.
func (p *program) clause(ready bool) {
	c := fmt.Sprintf("o.c(%d, nil)", p.next())
	if ready {
		c = p.channel(2)
	}
	x := fmt.Sprintf("x%d", p.next())
	switch p.IntN(8) {
	case 0:
		p.put("case %s = <-%s:", p.targetOrBlank(), c)
	case 1:
		p.put("case %s, %s = <-%s:", p.targetOrBlank(), p.truthTarget(), c)
	case 2:
		p.put("case %s := <-%s:\no.add(%[1]s)", x, c)
	case 3:
		p.put("case %s, y%[1]s := <-%s:\no.add(%[1]s, y%[1]s)", x, c)
	case 4:
		p.put("case <-%s:", c)
	case 5:
		p.put("case (<-(%s)):", c)
	case 6:
		p.put("case _, %s := <-%s:\no.add(%[1]s)", x, c)
	default:
		p.put("case %s <- %s:", c, p.number(2))
	}
	p.block(p.IntN(2))
	if p.IntN(3) == 0 {
		p.put("if %s { break }\no.add(%d)", p.truth(1), p.next())
	}
	p.leave()
}

func (p *program) statement() {
	if p.depth > 3 {
		p.put("%s = %s", p.target(), p.number(2))
		return
	}
	x := fmt.Sprintf("x%d", p.next())
	statements := []func(){
		func() { p.put("%s = %s", p.target(), p.number(3)) },
		func() { p.put("%s, %s = %s, %s", p.target(), p.target(), p.number(2), p.number(2)) },
		func() { p.put("%s += %s", p.target(), p.number(3)) },
		func() { p.put("%s -= %s - %s", p.target(), p.number(1), p.number(1)) },
		func() { p.put("%s *= %s + %s", p.target(), p.number(1), p.number(1)) },
		func() { p.put("%s++", p.target()) },
		func() { p.put("%s = <-%s", p.targetOrBlank(), p.channel(2)) },
		func() { p.put("%s, %s = <-%s", p.targetOrBlank(), p.truthTarget(), p.channel(2)) },
		func() { p.put("%s, %s = (<-(%s))", p.targetOrBlank(), p.truthTarget(), p.channel(2)) },
		func() {
			// What is assigned to is not evaluated by calls: that would not be guarded.
			p.put("{\nflag := %d\n_ = flag\n%s, f = <-%s\n}", p.IntN(3), []string{"a", "n.m", "s[1]", "_"}[p.IntN(4)], p.channel(2))
		},
		func() {
			p.put("if flag := 1; flag > 0 {\n_, n.f = <-%s\n}", p.channel(2))
		},
		func() { p.put("%s, %s = receive(%s)", p.targetOrBlank(), "ok", p.channel(2)) },
		func() { p.put("%s := <-%s\no.add(%[1]s)", x, p.channel(2)) },
		func() { p.put("%s, y%[1]s := <-%s\no.add(%[1]s, y%[1]s)", x, p.channel(2)) },
		func() { p.put("var %s, y%[1]s = <-%s\no.add(%[1]s, y%[1]s)", x, p.channel(2)) },
		func() { p.put("var %s int = <-%s\no.add(%[1]s)", x, p.channel(2)) },
		func() { p.put("<-%s", p.channel(2)) },
		func() { p.put("full(%s) <- %s", p.number(1), p.number(2)) },
		func() { p.put("%s := full()\n%[1]s <- %s\no.add(len(%[1]s), <-%[1]s)", x, p.number(2)) },
		func() {
			// The value may change what is assigned to.
			to := []string{"v%s.s[v%[1]s.i]", "v%s.p.m", "*v%s.q", "v%s.p.arr[v%[1]s.i]", "v%s.all[v%[1]s.i][v%[1]s.i]", "a%s[v%[1]s.i]", "b%s[v%[1]s.i]", "v%s.m[v%[1]s.i]"}[p.IntN(8)]
			p.put("a%s, b%[1]s := make([]int, 2), [2]int{}", x) // nobody else has them
			p.put("var v%s struct { i int; s []int; p *node; q *int; m map[int]int; all [2][]int }", x)
			p.put("w%s, y%[1]s, z%[1]s := []int{0, 0}, &node{}, []int{0, 0}", x)
			p.put("v%s.s, v%[1]s.p, v%[1]s.q, v%[1]s.m, v%[1]s.all = w%[1]s, y%[1]s, &z%[1]s[0], map[int]int{}, [2][]int{w%[1]s, z%[1]s}", x)
			p.put(to+" = %[2]s + func() int { v%[1]s.i, v%[1]s.s, v%[1]s.p, v%[1]s.q = 1, z%[1]s, n, &z%[1]s[1]; return %[3]s }()", x, p.number(1), p.number(1))
			p.put("o.add(w%s, y%[1]s.m, y%[1]s.arr, z%[1]s, v%[1]s.m, a%[1]s[0], a%[1]s[1], b%[1]s[0], b%[1]s[1])", x)
		},
		func() {
			// The value may change which channel it is sent on.
			c := p.one(func() string { return x }, func() string { return "y" + x + ".c" }, func() string { return "(*z" + x + ")" }, func() string { return "y" + x + ".s[1]" })
			p.put("%s := full()\ny%[1]s := &struct { c chan int; s []chan int }{full(), []chan int{nil, full()}}\nz%[1]s := &y%[1]s.c\n_ = z%[1]s", x)
			p.put("w%s := %s\n%[2]s <- %[3]s + func() int { %[2]s = full(); return %[4]s }()", x, c, p.number(2), p.number(1))
			p.put("o.add(len(%s), len(%s), len(y%[2]s.c), len(w%[2]s))", c, x)
		},
		func() {
			p.put("if %s := <-%s; %[1]s > %[3]s {", x, p.channel(2), p.number(2))
			p.block(1)
			p.put("} else if %s {", p.truth(2))
			p.block(1)
			p.put("} else {")
			p.block(1)
			p.put("}")
		},
		func() {
			p.put("if _, %s := <-%s; %[1]s {", x, p.channel(2))
			p.block(1)
			p.put("}")
		},
		func() {
			p.loop(fmt.Sprintf("%s := <-full(%d); %[1]s < %[3]d; %[1]s += 1 + <-shut()", x, p.IntN(3), 2+p.IntN(2)), func() { p.put("late = append(late, func() { o.add(%s) })", x) })
		},
		func() {
			p.loop(fmt.Sprintf("a = 0; a < <-full(%d); a = a + 1", p.IntN(3)), func() { p.put("late = append(late, func() { o.add(a) })\nif o.t(1) > 0 { break }") })
		},
		func() {
			p.loop(fmt.Sprintf("%s := range shut(%s, %s)", x, p.number(1), p.number(1)), func() { p.put("late = append(late, func() { o.add(%s) })", x) })
		},
		func() {
			p.loop(fmt.Sprintf("%s = range shut(%s, %s)", p.target(), p.number(1), p.number(1)), func() {})
		},
		func() { p.loop(fmt.Sprintf("range shut(%s)", p.number(1)), func() {}) },
		func() {
			p.loop(fmt.Sprintf("%s, y%[1]s := range []int{%s, %s}", x, p.number(2), p.number(1)), func() { p.put("late = append(late, func() { o.add(%s, y%[1]s) })", x) })
		},
		func() {
			p.loop(fmt.Sprintf("%s, %s = range n.arr", p.target(), p.target()), func() {})
		},
		func() {
			if !p.pre22 {
				p.loop(fmt.Sprintf("%s := range <-full(%d)", x, p.IntN(3)), func() { p.put("o.add(%s)", x) })
			}
		},
		func() {
			if !p.pre22 {
				p.loop(fmt.Sprintf("%s := range each(shut(%s, %s))", x, p.number(1), p.number(1)), func() { p.put("o.add(%s)", x) })
			}
		},
		func() {
			p.put("%s := map[int]int{1: 1, %s: 2}\nfor k := range %[1]s {\ndelete(%[1]s, k)\na += k\n}\no.add(len(%[1]s))", x, fmt.Sprint(2+p.IntN(3)))
		},
		func() {
			p.put("switch %s := <-%s; %[1]s + %[3]s {\ncase %[4]s, %[5]s:", x, p.channel(2), p.number(1), p.number(2), p.number(1))
			p.block(1)
			p.put("%s\ncase <-%s:", []string{"", "fallthrough"}[p.IntN(2)], p.channel(1))
			p.block(1)
			p.put("default:")
			p.block(1)
			p.put("}")
		},
		func() {
			p.put("switch {\ncase %s:", p.truth(2))
			p.block(1)
			p.put("case %s, %s:", p.truth(2), p.truth(2))
			p.block(1)
			p.put("if %s { break }\no.add(%d)\n}", p.truth(1), p.next())
		},
		func() {
			p.put("switch %s := any(<-%s).(type) {\ncase int:\no.add(%[1]s)\ndefault:\n_ = %[1]s\n}", x, p.channel(2))
		},
		func() {
			l := fmt.Sprintf("l%d", p.next())
			p.loop(fmt.Sprintf("%s := 0; %[1]s < 2; %[1]s++", x), func() {
				p.put("%s:\nselect {", l)
				for range p.IntN(2) {
					p.clause(false)
				}
				p.clause(true)
				p.put("if %s { break %s }", p.truth(1), l)
				p.put("}")
			})
		},
		func() {
			p.put("select {")
			n := 1 + p.IntN(2)
			at := p.IntN(n + 1) // the default may be before others
			for k := range n + 1 {
				if k == at {
					p.put("default:")
					p.block(1)
				} else {
					p.clause(false)
				}
			}
			p.put("}")
		},
		func() {
			byDefault := "default:\no.add(\"default\")"
			if p.IntN(2) == 0 {
				p.put("select {\n%s", byDefault)
				p.clause(true)
				p.put("}")
				return
			}
			p.put("select {")
			p.clause(true)
			p.put("%s\n}", byDefault)
		},
		func() {
			p.put("func() {\ndefer func() { o.add(recover()) }()")
			p.inFunction(func() {
				p.put("defer o.add(%s, <-%s)", p.number(2), p.channel(2))
				p.block(1)
				p.put([]string{"%s := shut()\nclose(%[1]s)", "%s := shut()\n%[1]s <- 1", "var %s chan int\nclose(%[1]s)", "%s := shut()\n_ = %[1]s", "var %s sync.WaitGroup\n%[1]s.Add(-1)", "var %s []int\n%[1]s[<-full(3)] = 1"}[p.IntN(6)], x)
			})
			p.put("}()")
		},
		func() {
			p.put("%s, err%[1]s := func() (v int, err error) {\ndefer func() { v += <-full(%s) }()", x, p.number(1))
			p.inFunction(func() {
				p.block(1)
				p.put("if %s { return <-%s, nil }\nv = 3\nreturn", p.truth(2), p.channel(2))
			})
			p.put("}()\no.add(%s, err%[1]s)", x)
		},
		func() {
			p.put("%s := full()\ngo func(v int, ok bool) { %[1]s <- v + <-full(%s) }(%s, %s)\n%s = <-%[1]s", x, fmt.Sprint(p.IntN(4)), p.number(2), p.truth(1), p.target())
		},
		func() {
			p.put("var %s sync.WaitGroup\n%[1]s.Go(func() {\ndefer func() { o.add(recover()) }()", x)
			p.inFunction(func() { p.block(2) })
			p.put("})\n%s.Wait()", x)
		},
		func() {
			p.put("{\n%s := full(%s)\ny%[1]s := func(c chan int) { o.add(<-c) }\nz%[1]s := make(chan int)\ngo func(c chan int) { y%[1]s(c); close(z%[1]s) }(%[1]s)\n%[1]s = nil\n<-z%[1]s\n}", x, p.number(1))
		},
		func() {
			p.put("{\nvar mu sync.Mutex\nmu.Lock()\n%s := mu.Unlock\n", x)
			p.block(1)
			p.put("%s()\n}", x)
		},
		func() {
			// What is deferred, spawned or kept as a value has its receiver evaluated at once.
			p.put("func() {\ndefer func() { o.add(recover()) }()")
			l := p.one(
				func() string { return "latch(full())" }, func() string { return "&sync.Mutex{}" },
				func() string { return "new(sync.RWMutex).RLocker()" }, func() string { return "withLocker{new(sync.Mutex)}" },
				func() string { return "withLocker{}.Locker" }, func() string { return "sync.NewCond(nil).L" },
			)
			p.put("var %s sync.Locker = %s\ny%[1]s := &withLocker{%[1]s}\n_ = y%[1]s", x, l)
			of := []string{x, "y" + x, "y" + x + ".Locker", "any(" + x + ").(interface { sync.Locker })"}[p.IntN(4)]
			switch p.IntN(4) {
			case 0:
				p.put("defer %s.Lock()", of)
			case 1:
				p.put("go %s.Lock()", of)
			case 2:
				p.put("defer func(f func()) { o.add(%d); f() }(%s.Lock)", p.next(), of)
			default:
				p.put("z%s := %s.Lock\ndefer func() { o.add(%d); z%[1]s() }()", x, of, p.next())
			}
			p.put("o.add(%d)\n%s, y%[2]s = nil, nil", p.next(), x)
			p.inFunction(func() { p.block(1) })
			p.put("}()")
		},
		func() {
			p.put("func() {\ndefer func() { o.add(recover()) }()")
			switch p.IntN(3) {
			case 0:
				p.put("defer o.later(%d, %s)(%s, %s)", p.next(), p.number(2), p.number(2), p.number(1))
			case 1:
				p.put("defer ([]func(...int){nil, o.later(%d, %s)}[%s])(a)", p.next(), p.number(1), p.one(func() string { return "1" }, func() string { return "index(" + p.number(1) + ")" }))
			default:
				p.put("defer (o.lock(%d)).Unlock()", p.next())
			}
			p.inFunction(func() { p.block(1) })
			p.put("}()")
		},
		func() {
			p.put("n.locked(func() int {")
			p.inFunction(func() { p.block(1) })
			p.put("return 1\n})")
		},
		func() {
			p.put("var %s sync.Once\nfor i := 0; i < 2; i++ {\n%[1]s.Do(func() {", x)
			p.inFunction(func() { p.block(1) })
			p.put("})\n}")
		},
		func() {
			p.put("%s := sync.OnceValue(func() int { return %s })\no.add(%[1]s(), %[1]s())", x, p.number(2))
		},
		func() {
			p.put("{\nif %s { goto m%d }\n{", p.truth(1), p.names)
			m := p.names
			p.block(1)
			p.put("}\nm%d:\no.add(%d)\n}", m, p.next())
		},
		func() { p.put("late = append(late, func() { o.add(<-%s) })", p.channel(2)) },
		func() { p.put("raw = 0\nat.Store(int32(small(%s)))", p.number(1)) },
		func() { p.put("n, pa = &node{m: %s, pairs: map[int]bool{}}, &n.n", p.number(2)) },
	}
	statements[p.IntN(len(statements))]()
	p.put("o.add(a, b, ok, f, n.inner, n.m, n.arr, s, m[2])")
}

// function is a random function.
func (p *program) function() {
	p.put("func(o *trace) {")
	p.put("a, b, ok, f, s, m, n := 1, 2, false, flag(false), []int{3, 4, 5}, map[int]int{2: 6}, &node{m: 7, pairs: map[int]bool{}}")
	p.put("pa := &a\nvar mu sync.Mutex\nvar at atomic.Int32\nvar raw int32\nvar late []func()\n_, _, _, _, _, _ = &mu, &at, &raw, late, ok, pa")
	p.block(4)
	p.put("for _, f := range late { f() }\nfor k, v := range n.pairs { if v { b += k } }\no.add(a, b, ok, f)\n},")
}

// randomProgram is a program with functions from seed on, in a directory of its own.
func randomProgram(t *testing.T, version string, seed uint64, n int) string {
	dir := t.TempDir()
	var b strings.Builder
	b.WriteString("package random\n\nimport (\n\t\"sync\"\n\t\"sync/atomic\"\n)\n\nvar functions = []func(*trace){\n")
	for i := range n {
		p := &program{Rand: rand.New(rand.NewPCG(seed+uint64(i), 0)), pre22: version != ""}
		p.function()
		b.WriteString(p.String())
	}
	b.WriteString("}\n")
	files := map[string]string{
		"go.mod": "module example.com/random\n\ngo 1.26\n", "prelude.go": randomPrelude, "free_test.go": randomFree, "functions.go": b.String(),
	}
	if version != "" {
		files["functions.go"] = "//go:build " + version + "\n\n" + files["functions.go"]
	}
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

// TestRandomProgram: what the functions of a random program do, and in which order they do it,
// is what they do without instrumentation, free and in runs.
func TestRandomProgram(t *testing.T) {
	for version, ordinary := range map[string]string{"": "shared", "go1.21": "accesses"} {
		t.Run("version"+version, func(t *testing.T) {
			dir := randomProgram(t, version, *randomSeed, *randomFunctions)
			plain := binary(t, "plain")
			out, code := run(t, dir, "go", "test", "-c", "-vet=off", stripped, "-o", plain, ".")
			require.Zero(t, code, out)
			want, code := run(t, dir, plain, "-test.timeout=20s")
			require.Zero(t, code, want)
			prog, err := source.LoadModule(context.Background(), source.Spec{Dir: dir})
			require.NoError(t, err)
			idx := Index(prog)
			for name, opts := range map[string]Options{
				"operations": {},
				"accesses":   {Accesses: accesses(idx)},
				"races":      {Races: true},
				"shared":     {Shared: true}, // as checks run it
			} {
				if *randomFunctions == ordinaryFunctions && name != ordinary {
					continue
				}
				form := idx
				if opts.Shared {
					form = sharedIndex(t, prog)
				}
				o, err := Instrument(context.Background(), prog, form, opts)
				require.NoError(t, err)
				for _, d := range o.Diagnostics { // but for accesses that are not looked at for races
					require.True(t, d.Access, d)
				}
				o.Files["zz_controlled_test.go"] = []byte(strings.ReplaceAll(randomControlled, "RACES", fmt.Sprint(opts.Races || opts.Shared)))
				bin := testBinary(t, prog, o)
				out, code := run(t, dir, bin, "-test.timeout=60s", "-test.run=TestFree")
				require.Zero(t, code, out)
				sameLines(t, functionLines(want), functionLines(out), "free, "+name)
				out, code = run(t, dir, bin, "-test.timeout=120s", "-test.run=TestControlled")
				require.Zero(t, code, out)
				lines := functionLines(want)
				sameLines(t, append(lines[:len(lines):len(lines)], lines...), functionLines(out), "under control, "+name)
			}
		})
	}
}

// sameLines names the first function that does something else.
func sameLines(t *testing.T, want, got []string, where string) {
	t.Helper()
	for i := range min(len(want), len(got)) {
		require.Equal(t, want[i], got[i], where)
	}
	require.Len(t, got, len(want), where)
}

// functionLines are the lines about functions of what a program has printed.
func functionLines(out string) (lines []string) {
	for _, l := range strings.Split(out, "\n") {
		if strings.HasPrefix(l, "f") {
			lines = append(lines, l)
		}
	}
	return lines
}
