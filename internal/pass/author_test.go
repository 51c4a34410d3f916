package pass

import (
	"fmt"
	"go/format"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// author writes random programs of a few goroutines. They come to an end under most schedules:
// what one goroutine waits for another one does, but for a part that is left out, done twice,
// or done on a condition now and then. Values that depend on the schedule decide branches, and
// are asserted. Plain variables are shared under a lock, or before and after what orders their
// accesses, unless the program is to have a data race.
type author struct {
	*rand.Rand
	out    *strings.Builder
	test   bool
	racy   bool
	home   int // where goroutines find what they share: in main, in the package, in a struct
	prefix string
	shared []common
	vars   []string // integers in scope
	names  int
	depth  int
	budget int  // statements that the goroutine may still have
	quiet  bool // in a critical section: nothing that blocks
	decls  strings.Builder
	uses   map[string]bool // what is there once
	pieces [][]func()      // what the goroutines do for each other; main is the last
}

// common is something that goroutines share.
type common struct{ name, typ, init string }

// The homes.
const (
	inMain = iota
	inPackage
	inStruct
)

// authored returns a random program, as a main package or a package with a test.
func authored(seed uint64, test bool) string {
	a := &author{Rand: rand.New(rand.NewPCG(seed, 11)), test: test, uses: map[string]bool{}, out: &strings.Builder{}}
	a.racy = a.IntN(10) == 0
	a.home = a.IntN(3)
	if a.home == inStruct {
		a.prefix = "s."
	}
	return a.program()
}

func (a *author) line(format string, args ...any) { fmt.Fprintf(a.out, format+"\n", args...) }

// written is what f writes.
func (a *author) written(f func()) string {
	out := a.out
	a.out = &strings.Builder{}
	f()
	text := a.out.String()
	a.out = out
	return text
}

// scope forgets the variables that f declares.
func (a *author) scope(f func()) {
	n := len(a.vars)
	a.depth++
	f()
	a.depth--
	a.vars = a.vars[:n:n]
}

func (a *author) name(of string) string {
	a.names++
	return fmt.Sprint(of, a.names)
}

// oneOf is one of several texts.
func (a *author) oneOf(of ...string) string { return of[a.IntN(len(of))] }

// once reports whether that is asked for the first time.
func (a *author) once(what string) bool {
	if a.uses[what] {
		return false
	}
	a.uses[what] = true
	return true
}

// share declares something that goroutines share, and returns how they get at it.
func (a *author) share(of, typ, init string) string {
	name := a.name(of)
	a.shared = append(a.shared, common{name, typ, init})
	return a.prefix + name
}

// kept is what is shared under a name that is always the same.
func (a *author) kept(name, typ, init string) string {
	if a.once("shared " + name) {
		a.shared = append(a.shared, common{name, typ, init})
	}
	return a.prefix + name
}

// helper adds a declaration to the program, once.
func (a *author) helper(name, text string) string {
	if a.once("helper " + name) {
		fmt.Fprintf(&a.decls, "%s\n\n", text)
	}
	return name
}

// channel declares a channel, and returns an expression for it, which may be a variable, an
// element, a field, what is pointed to, or the result of a function.
func (a *author) channel(typ string, capacity int) string {
	made := fmt.Sprintf("make(chan %s)", typ)
	if capacity > 0 {
		made = fmt.Sprintf("make(chan %s, %d)", typ, capacity)
	}
	switch a.IntN(9) {
	case 0:
		return a.share("list", "[]chan "+typ, fmt.Sprintf("[]chan %s{nil, %s}", typ, made)) + "[1]"
	case 1:
		return a.share("named", "map[string]chan "+typ, fmt.Sprintf("map[string]chan %s{\"a\": %s}", typ, made)) + `["a"]`
	case 2:
		return a.share("pair", "[2]chan "+typ, fmt.Sprintf("[2]chan %s{%s}", typ, made)) + "[0]"
	case 3:
		t := a.helper("port", "type port[T any] struct {\n\tc chan T\n}\n\nfunc (p *port[T]) channel() chan T { return p.c }")
		p := a.share("port", fmt.Sprintf("*%s[%s]", t, typ), fmt.Sprintf("&%s[%s]{c: %s}", t, typ, made))
		return p + a.oneOf(".c", ".channel()")
	case 4:
		return a.share("get", "func() chan "+typ, fmt.Sprintf("func() func() chan %s {\n\tc := %s\n\treturn func() chan %s { return c }\n}()", typ, made, typ)) + "()"
	default:
		return a.share("c", "chan "+typ, made)
	}
}

// integer is an expression without effects, of small numbers.
func (a *author) integer() string {
	v := "1"
	if len(a.vars) > 0 {
		v = a.vars[a.IntN(len(a.vars))]
	}
	w := fmt.Sprint(a.IntN(3))
	if len(a.vars) > 0 && a.IntN(3) == 0 {
		w = a.vars[a.IntN(len(a.vars))]
	}
	switch a.IntN(16) {
	case 0, 1, 2:
		return fmt.Sprint(a.IntN(4))
	case 3:
		return fmt.Sprintf("(%s+%s)", v, w)
	case 4:
		return fmt.Sprintf("(%s-%s)", v, w)
	case 5:
		return fmt.Sprintf("%s%%3", v)
	case 6:
		return fmt.Sprintf("%s&1", v)
	case 7:
		return fmt.Sprintf("%s(%s, %s)", a.oneOf("max", "min"), v, w)
	case 8:
		return fmt.Sprintf("%s(%s)", a.helper("small", "func small(n int) int {\n\tif n < 0 {\n\t\treturn 0\n\t}\n\tif n > 3 {\n\t\treturn 3\n\t}\n\treturn n\n}"), v)
	case 9:
		return fmt.Sprintf("int(%s(%s)+%d)", a.oneOf("uint8", "int8"), v, a.oneOf("127", "126", "100")[0])
	case 10:
		return fmt.Sprintf("[...]int{2, 0, 1, 1}[%s&3]", v)
	case 11:
		return fmt.Sprintf("%s(%s, %s)", a.helper("pick", "func pick[T comparable](x, y T) T {\n\tvar zero T\n\tif x == zero {\n\t\treturn y\n\t}\n\treturn x\n}"), v, w)
	case 12:
		return fmt.Sprintf("(%s^%s)", v, w)
	case 13:
		return fmt.Sprintf("func() int { return %s }()", v)
	default:
		return v
	}
}

// condition is one of the variables.
func (a *author) condition() string {
	switch a.IntN(9) {
	case 0:
		return fmt.Sprintf("%s == %d && %s < 3", a.integer(), a.IntN(3), a.integer())
	case 1:
		return fmt.Sprintf("%s > %d || %s == 0", a.integer(), a.IntN(3), a.integer())
	case 2:
		return fmt.Sprintf("!(%s == %s)", a.integer(), a.integer())
	case 3:
		f := a.helper("word", "func word(n int) string {\n\tswitch n {\n\tcase 0:\n\t\treturn \"none\"\n\tcase 1:\n\t\treturn \"one\"\n\t}\n\treturn \"many\"\n}")
		return fmt.Sprintf("%s(%s) == %s", f, a.integer(), a.oneOf(`"none"`, `"one"`, `"many"`))
	default:
		return fmt.Sprintf("%s %s %d", a.integer(), a.oneOf("==", "!=", "<", ">"), a.IntN(3))
	}
}

// result is the variable that a goroutine reports.
func (a *author) result() string { return a.vars[0] }

// keep changes what the goroutine reports.
func (a *author) keep(value string) {
	a.line("%s %s %s", a.result(), a.oneOf("+=", "=", "=", "^=", "|="), value)
}

// fail ends the test or the program.
func (a *author) fail() {
	switch k := a.IntN(8); {
	case a.test && k < 2:
		a.line("t.Errorf(\"got %%d\", %s)", a.result())
	case k == 2:
		t := a.helper("failure", "type failure struct{ code int }\n\nfunc (f *failure) Error() string { return \"failure\" }")
		a.line("panic(&%s{%s})", t, a.result())
	case k == 3:
		a.line("panic(fmt.Sprintf(\"got %%d\", %s))", a.result())
	case k == 4:
		a.line("panic(errors.New(\"failed\"))")
	default:
		a.line("panic(\"unexpected\")")
	}
}

// block writes some statements.
func (a *author) block(n int) {
	for range n {
		a.statement()
	}
}

// body is a nested block.
func (a *author) body() {
	a.scope(func() {
		if a.depth > 3 {
			a.keep(a.integer())
			return
		}
		a.block(1 + a.IntN(2))
	})
}

// statement writes a statement that does not block for ever.
func (a *author) statement() {
	if a.budget--; a.budget < 0 {
		a.keep(a.integer())
		return
	}
	r := a.result()
	switch k := a.IntN(56); k {
	case 0, 1, 2:
		a.keep(a.integer())
	case 3:
		v := a.name("v")
		a.line("%s := %s", v, a.integer())
		a.line("%s", a.oneOf(r+", "+v+" = "+v+", "+r, "_ = "+v, v+"++", v+" <<= 1"))
		a.vars = append(a.vars, v)
	case 4, 5:
		a.line("if %s {", a.condition())
		a.body()
		if a.IntN(2) == 0 {
			a.line("} else {")
			a.body()
		}
		a.line("}")
	case 6:
		i := a.name("i")
		a.scope(func() {
			a.line("for %s := range %s {", i, a.oneOf("2", "1", "small2("+a.integer()+")"))
			if strings.Contains(a.lastLine(), "small2") {
				a.helper("small2", "func small2(n int) int {\n\tif n < 0 || n > 2 {\n\t\treturn 2\n\t}\n\treturn n\n}")
			}
			a.vars = append(a.vars, i)
			a.body()
			if a.IntN(3) == 0 {
				a.line("if %s {\n%s\n}", a.condition(), a.oneOf("break", "continue"))
			}
			a.keep(i)
			a.line("}")
		})
	case 7:
		a.line("switch %s {", a.integer())
		a.line("case 0:")
		a.body()
		if a.IntN(2) == 0 {
			a.line("fallthrough")
		}
		a.line("case 1, 2:")
		a.body()
		if a.IntN(2) == 0 {
			a.line("default:")
			a.body()
		}
		a.line("}")
	case 8, 9, 10:
		a.critical()
	case 11, 12, 13:
		a.atomic()
	case 14:
		a.try()
	case 15:
		if a.quiet {
			a.keep("1")
			return
		}
		a.onceForms()
	case 16:
		// A function with a named result that a deferred call changes.
		a.line("%s += func() (n int) {", r)
		a.line("defer func() { n %s %d }()", a.oneOf("+=", "*=", "="), 1+a.IntN(2))
		a.body()
		a.line("if %s {\nreturn %s\n}", a.condition(), a.integer())
		a.line("return 1\n}()")
	case 17:
		a.recovers()
	case 18:
		a.table()
	case 19:
		l := a.name("loop")
		i := a.name("i")
		a.line("%s:\nfor %s := 0; %s < 2; %s++ {", l, i, i, i)
		a.scope(func() {
			a.vars = append(a.vars, i)
			a.line("switch {\ncase %s:\n%s %s\ncase %s:", a.condition(), a.oneOf("break", "continue"), l, a.condition())
			a.body()
			a.line("}")
		})
		a.line("}")
	case 20:
		// A range over a function.
		f := a.helper("upTo", "func upTo(n int) func(func(int) bool) {\n\treturn func(yield func(int) bool) {\n\t\tfor i := range n {\n\t\t\tif !yield(i) {\n\t\t\t\treturn\n\t\t\t}\n\t\t}\n\t}\n}")
		i := a.name("i")
		a.line("for %s := range %s(2) {", i, f)
		a.scope(func() {
			a.vars = append(a.vars, i)
			a.body()
			a.line("if %s {\n%s\n}", a.condition(), a.oneOf("break", "continue"))
			a.keep(i)
		})
		a.line("}")
	case 21:
		a.helper("worker", "type worker interface{ work(n int) int }\n\ntype adder struct{ by int }\n\nfunc (x adder) work(n int) int { return n + x.by }\n\ntype setter int\n\nfunc (x *setter) work(n int) int {\n\t*x = setter(n)\n\treturn int(*x) & 1\n}")
		w := a.name("w")
		a.line("var %s worker = adder{%d}\nif %s {\n%s = new(setter)\n}", w, a.IntN(3), a.condition(), w)
		switch a.IntN(3) {
		case 0:
			a.line("%s += %s.work(%s)", r, w, a.integer())
		case 1:
			f := a.name("f")
			a.line("%s := %s.work\n%s = %s(%s)", f, w, r, f, a.integer())
		case 2:
			a.line("switch x := %s.(type) {\ncase adder:\n%s += x.by\ncase *setter:\n%s = x.work(%s)\n}", w, r, r, a.integer())
		}
	case 22:
		v := a.name("list")
		switch a.IntN(3) {
		case 0:
			a.line("%s := []int{%s, 1}\nif %s {\n%s = append(%s, %s)\n}\n%s += len(%s) + %s[len(%s)-1]", v, a.integer(), a.condition(), v, v, a.integer(), r, v, v, v)
		case 1:
			a.line("%s := [3]int{1, 2}\n%s[small2(%s)] = %s\nfor _, x := range %s {\n%s += x\n}", v, v, a.integer(), a.integer(), v, r)
			a.helper("small2", "func small2(n int) int {\n\tif n < 0 || n > 2 {\n\t\treturn 2\n\t}\n\treturn n\n}")
		case 2:
			a.line("%s := map[int]int{1: 2}\n%s[%s]++\nif n, ok := %s[2]; ok {\n%s += n\n}\n%s += len(%s)", v, v, a.integer(), v, r, r, v)
		}
	case 23:
		if a.quiet {
			a.keep("2")
			return
		}
		m := a.kept("seen", "sync.Map", "")
		switch a.IntN(4) {
		case 0:
			a.line("if _, loaded := %s.LoadOrStore(\"k\", %s); loaded {\n%s++\n}", m, a.integer(), r)
		case 1:
			a.line("if v, ok := %s.Load(\"k\"); ok {\n%s = v.(int)\n}", m, r)
		case 2:
			a.line("%s.Store(\"k\", %s)", m, a.integer())
		case 3:
			a.line("if v, ok := %s.LoadAndDelete(\"k\"); ok {\n%s += v.(int)\n}", m, r)
		}
	case 24:
		a.timers()
	case 25:
		a.polls()
	case 26:
		if a.IntN(2) == 0 {
			a.line("if %s {", a.condition())
			a.fail()
			a.line("}")
		} else {
			a.line("if %s {\nruntime.Gosched()\n}", a.condition())
		}
	case 27:
		l := a.name("again")
		n := a.name("n")
		// What is behind a label may not be jumped over.
		a.line("{\n%s := 0\n%s:\n%s++", n, l, n)
		a.line("if %s {\n%s += %s\n}", a.condition(), r, n)
		a.line("if %s < 2 {\ngoto %s\n}\n}", n, l)
	case 28:
		if a.racy {
			a.plain()
			return
		}
		a.critical()
	case 29:
		f := a.name("f")
		a.line("%s := func(n int) int {", f)
		a.scope(func() {
			a.body()
			a.line("return n + %s", a.integer())
		})
		a.line("}\n%s = %s(%s)", r, f, a.integer())
	case 30:
		t := a.helper("failure", "type failure struct{ code int }\n\nfunc (f *failure) Error() string { return \"failure\" }")
		e := a.name("err")
		late := a.kept("errLate", "error", `errors.New("late")`)
		a.line("var %s error\nif %s {\n%s = %s\n} else {\n%s = &%s{%s}\n}", e, a.condition(), e, a.oneOf(late, `fmt.Errorf("wrapped: %w", `+late+")"), e, t, a.integer())
		if a.IntN(2) == 0 {
			a.line("if errors.Is(%s, %s) {\n%s++\n}", e, late, r)
		} else {
			a.line("var f *failure\nif errors.As(%s, &f) {\n%s += f.code\n}", e, r)
			a.wrapLast()
		}
	case 31:
		s := a.name("text")
		a.line("%s := %s\nif %s {\n%s += \"b\"\n}\n%s += len(%s)", s, a.oneOf(`"a"`, `""`), a.condition(), s, r, s)
	case 32:
		if a.quiet {
			a.keep("3")
			return
		}
		p := a.kept("pool", "sync.Pool", "sync.Pool{New: func() any { return new(int) }}")
		x := a.name("x")
		a.line("%s := %s.Get().(*int)\n*%s = %s\n%s += *%s\n%s.Put(%s)", x, p, x, a.integer(), r, x, p, x)
	case 33:
		c := a.name("own")
		a.line("%s := make(chan int, 2)\n%s <- %s\nif %s {\n%s <- 2\n}\nclose(%s)\nfor x := range %s {\n%s += x\n}", c, c, a.integer(), a.condition(), c, c, c, r)
	case 34:
		a.cellHelper()
		f, h := a.name("f"), a.kept("held", "*cell", "&cell{n: 1}")
		if a.quiet {
			a.keep("1")
			return
		}
		a.line("%s := %s\n%s = %s", f, a.oneOf("(*cell).add", "(*cell).get"), r, f)
		if strings.Contains(a.out.String(), f+" := (*cell).add") {
			a.tail("(%s, %s)", h, a.integer())
		} else {
			a.tail("(%s)", h)
		}
	case 35:
		t := a.helper("point", "type point struct {\n\tx, y int\n\tok   bool\n}\n\nfunc (p point) moved(by int) point {\n\tp.x += by\n\treturn p\n}")
		v := a.name("p")
		a.line("%s := %s{x: %s}\nif q := %s.moved(%s); q %s %s {\n%s = q.x\n}", v, t, a.integer(), v, a.integer(), a.oneOf("==", "!="), v, r)
	case 36:
		a.helper("mode", "type mode int\n\nconst (\n\toff mode = iota\n\ton\n\tbroken\n)\n\nfunc (m mode) String() string { return [...]string{\"off\", \"on\", \"broken\"}[m] }")
		v := a.name("mode")
		a.line("%s := off\nif %s {\n%s = on\n} else if %s {\n%s++\n}", v, a.condition(), v, a.condition(), v)
		a.line("switch %s {\ncase off:", v)
		a.body()
		a.line("case on, broken:\n%s += len(%s.String())\n}", r, v)
	case 37:
		v := a.name("next")
		a.line("%s := func() func() int {\nn := %s\nreturn func() int { n++; return n }\n}()\n%s = %s() + %s()", v, a.integer(), r, v, v)
	case 38:
		v := a.name("m")
		a.line("%s := map[int]int{1: %s, 2: 1}\ndelete(%s, %s)\nfor k, v := range %s {\n%s += k * v\n}", v, a.integer(), v, a.integer(), v, r)
	case 39:
		a.line("%s", a.oneOf(
			"for i, c := range \"ab\" {\n"+r+" += int(c-'a') * i\n}",
			"if b := []byte(\"ab\"); b["+r+"&1] == 'a' {\n"+r+" = len(b)\n}",
			"if string(rune('a'+"+r+"&1)) == \"b\" {\n"+r+"++\n}"))
	case 40:
		a.line("func() {\nfor i := range 2 {\ndefer func() { %s = %s*2 + i }()\n}", r, r)
		a.body()
		a.line("}()")
	case 41:
		if a.quiet || a.depth > 1 {
			a.keep("1")
			return
		}
		d := a.name("done")
		a.line("%s := make(chan int)\ngo func() {\ndefer close(%s)\nif %s {\nruntime.Goexit()\n}\n%s <- 1\n}()\n%s += <-%s", d, d, a.condition(), d, r, d)
	case 42:
		if a.quiet || a.depth > 1 {
			a.keep("1")
			return
		}
		c := a.name("c")
		a.line("%s := make(chan int, %d)\ngo func(n int) { %s <- n + 1 }(%s)", c, a.IntN(2), c, a.integer())
		a.body()
		a.line("%s += <-%s", r, c)
	case 43:
		if a.quiet || a.depth > 1 {
			a.keep("1")
			return
		}
		g, x := a.name("g"), a.kept("count", "atomic.Int32", "")
		a.line("var %s sync.WaitGroup\nfor i := range 2 {\n%s.Go(func() { %s.Add(int32(i)) })\n}\n%s.Wait()\n%s = int(%s.Load())", g, g, x, g, r, x)
	case 44:
		if a.quiet {
			a.keep("1")
			return
		}
		ctx, _ := a.context()
		a.helper("key", "type key struct{}")
		v := a.name("with")
		a.line("%s := context.WithValue(%s, key{}, %s)\nif x, ok := %s.Value(key{}).(int); ok && %s.Err() == nil {\n%s = x\n}", v, ctx, a.integer(), v, v, r)
	case 45:
		if a.quiet {
			a.keep("1")
			return
		}
		ctx, _ := a.context()
		a.line("if %s.Err() == nil {\n%s++\n}", a.oneOf("context.WithoutCancel("+ctx+")", ctx), r)
	case 46:
		if a.quiet || !a.once("ticks") {
			a.keep("1")
			return
		}
		t := a.name("t")
		a.line("%s := time.NewTicker(time.Millisecond)\n<-%s.C\n%s.Stop()\n%s += len(%s.C)", t, t, t, r, t)
	case 47:
		if a.quiet || !a.once("two timers") {
			a.keep("1")
			return
		}
		b, c := a.name("b"), a.name("c")
		a.line("%s := time.After(time.Millisecond)\n%s := time.After(%s)\nselect {\ncase <-%s:\n%s = 1\ncase <-%s:\n%s = 2\n}", b, c, a.oneOf("2*time.Millisecond", "time.Millisecond"), b, r, c, r)
	case 48:
		v := a.name("v")
		a.line("var %s any = %s\nif %s {\n%s = \"text\"\n}\nswitch x := %s.(type) {\ncase int:\n%s += x\ncase string:\n%s = len(x)\n}", v, a.integer(), a.condition(), v, v, r, r)
	case 49:
		a.line("func() {\ndefer func() {\nif recover() != nil {\n%s = 3\n}\n}()\n%s = %s / ((%s + %s) & 1)\n}()", r, r, a.oneOf("4", r), r, a.integer())
	case 50:
		v := a.name("grid")
		a.line("%s := [][]int{{1, %s}, {2}}\n%s[0] = append(%s[0], %s...)\nfor _, row := range %s[:1] {\n%s += row[len(row)-1] + copy(row, row[1:])\n}", v, a.integer(), v, v, v+"[1]", v, r)
	case 51:
		l := a.name("outer")
		a.line("%s:\nfor i := range 2 {\nfor j := range 2 {\nif %s {\n%s %s\n}\n%s += i + j\n}\n}", l, a.condition(), a.oneOf("continue", "break"), l, r)
	case 52:
		v := a.name("p")
		a.line("%s := &%s\nif %s {\n%s = new(int)\n}\n*%s += %s", v, r, a.condition(), v, v, a.integer())
	case 53:
		v := a.name("never")
		c := a.kept("spare", "chan int", "make(chan int, 1)")
		a.line("var %s chan int\nif %s {\n%s = %s\n}\nselect {\ncase x := <-%s:\n%s += x\ncase %s <- 1:\ndefault:\n%s++\n}", v, a.condition(), v, c, v, r, v, r)
	case 54: // looked at, and then done
		if a.quiet || a.IntN(3) > 0 {
			a.keep("2")
			return
		}
		g, done := a.kept("gate", "chan struct{}", "make(chan struct{})"), a.kept("closed", "atomic.Bool", "")
		a.line("%s", a.oneOf(
			"if !"+done+".Load() {\n"+done+".Store(true)\nclose("+g+")\n}",
			"if "+done+".CompareAndSwap(false, true) {\nclose("+g+")\n}",
			"select {\ncase <-"+g+":\ndefault:\nclose("+g+")\n}"))
	case 55:
		a.line("%s := %s\n%s = int(%s) + int(%s>>1)", "u"+a.name("x"), a.oneOf("uint16", "int16", "uint32", "uint8")+"("+r+")", r, "u"+fmt.Sprint("x", a.names), "u"+fmt.Sprint("x", a.names))
	}
}

// lastLine is what was written last.
func (a *author) lastLine() string {
	text := strings.TrimSuffix(a.out.String(), "\n")
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// wrapLast makes a block of the statements behind the declaration of a variable: names in them
// may come again.
func (a *author) wrapLast() {
	text := a.out.String()
	i := strings.LastIndex(text, "var f *failure")
	a.out.Reset()
	a.out.WriteString(text[:i] + "{\n" + text[i:] + "}\n")
}

// tail goes on with the line that was written last.
func (a *author) tail(format string, args ...any) {
	text := strings.TrimSuffix(a.out.String(), "\n")
	a.out.Reset()
	a.out.WriteString(text)
	a.line(format, args...)
}

// cellHelper is a number with a lock that it embeds.
func (a *author) cellHelper() {
	a.helper("cell", "type cell struct {\n\tsync.Mutex\n\tn int\n}\n\nfunc (c *cell) add(n int) (sum int) {\n\tc.Lock()\n\tdefer c.Unlock()\n\tc.n += n\n\treturn c.n\n}\n\nfunc (c *cell) get() int {\n\tc.Lock()\n\tdefer c.Unlock()\n\treturn c.n\n}")
}

// plain uses a variable that nothing orders.
func (a *author) plain() {
	p, r := a.kept("plain", "int", ""), a.result()
	a.line("%s", a.oneOf(p+" = "+a.integer(), r+" += "+p, p+"++", "if "+p+" == 1 {\n"+r+"++\n}"))
}

// critical is a section under a lock, in which a plain variable is used.
func (a *author) critical() {
	if a.quiet {
		a.keep(a.integer())
		return
	}
	a.quiet = true
	defer func() { a.quiet = false }()
	r := a.result()
	inner := func(n string) {
		a.line("%s", a.oneOf(n+"++", n+" = "+r, r+" += "+n, n+" += "+a.integer(), "if "+n+" == 1 {\n"+r+" = 2\n}", n+" = "+n+"*2 + 1"))
		if a.IntN(3) == 0 {
			a.body()
		}
	}
	switch a.IntN(11) {
	case 0:
		mu, n := a.kept("mu", "sync.Mutex", ""), a.kept("n", "int", "")
		a.line("%s.Lock()", mu)
		inner(n)
		a.line("%s.Unlock()", mu)
	case 1:
		mu, n := a.kept("mu", "sync.Mutex", ""), a.kept("n", "int", "")
		a.line("func() {\n%s.Lock()\ndefer %s.Unlock()", mu, mu)
		a.line("if %s {\nreturn\n}", a.condition())
		inner(n)
		a.line("}()")
	case 2:
		rw, n := a.kept("rw", "sync.RWMutex", ""), a.kept("m", "int", "")
		a.line("%s.Lock()", rw)
		inner(n)
		a.line("%s.Unlock()", rw)
	case 3:
		rw, n := a.kept("rw", "sync.RWMutex", ""), a.kept("m", "int", "")
		switch a.IntN(3) {
		case 0:
			a.line("%s.RLock()\n%s += %s\n%s.RUnlock()", rw, r, n, rw)
		case 1:
			l := a.name("l")
			a.line("%s := %s.RLocker()\n%s.Lock()\n%s = %s\n%s.Unlock()", l, rw, l, r, n, l)
		case 2:
			a.line("if %s.TryRLock() {\n%s = %s\n%s.RUnlock()\n}", rw, r, n, rw)
		}
	case 4:
		mu, n := a.kept("mu", "sync.Mutex", ""), a.kept("n", "int", "")
		a.line("if %s.TryLock() {", mu)
		inner(n)
		a.line("%s.Unlock()\n}", mu)
	case 5, 6:
		a.cellHelper()
		c := a.kept("counter", "cell", "")
		if a.IntN(2) == 0 {
			c = a.kept("held", "*cell", "&cell{n: 1}")
		}
		switch a.IntN(4) {
		case 0:
			a.line("%s = %s.add(%s)", r, c, a.integer())
		case 1:
			a.line("if %s.get() == %d {\n%s++\n}", c, a.IntN(3), r)
		case 2:
			a.line("%s.Lock()", c)
			inner(c + ".n")
			a.line("%s.Unlock()", c)
		case 3:
			a.line("func() {\ndefer func(n int) { %s.add(n) }(%s)\n%s += %s.get()\n}()", c, a.integer(), r, c)
		}
	case 7:
		mu, n := a.kept("mu", "sync.Mutex", ""), a.kept("n", "int", "")
		f := a.helper("with", "func with(l sync.Locker, f func()) {\n\tl.Lock()\n\tdefer l.Unlock()\n\tf()\n}")
		a.line("%s(&%s, func() {", f, mu)
		inner(n)
		a.line("})")
	case 8:
		locks, slots := a.kept("locks", "[2]sync.Mutex", ""), a.kept("slots", "[2]int", "")
		i := a.name("k")
		a.line("%s := %s & 1\n%s[%s].Lock()\n%s[%s]++\n%s += %s[%s]\n%s[%s].Unlock()", i, a.integer(), locks, i, slots, i, r, slots, i, locks, i)
	case 9:
		mu, m := a.kept("mu", "sync.Mutex", ""), a.kept("counts", "map[string]int", "map[string]int{}")
		a.line("%s.Lock()\n%s[%s]++\n%s += %s[\"a\"]\n%s.Unlock()", mu, m, a.oneOf(`"a"`, `"b"`), r, m, mu)
	case 10:
		mu, l := a.kept("mu", "sync.Mutex", ""), a.kept("log", "[]int", "")
		a.line("%s.Lock()", mu)
		a.line("if len(%s) < 3 {\n%s = append(%s, %s)\n}", l, l, l, a.integer())
		a.line("%s %s", r, a.oneOf("= len("+l+")", "+= "+l+"[0]"))
		a.line("%s.Unlock()", mu)
		if strings.Contains(a.lastLine(), "[0]") {
			return
		}
	}
}

// atomic is an operation on an atomic variable.
func (a *author) atomic() {
	r := a.result()
	x := a.kept("count", "atomic.Int32", "")
	flag := a.kept("flag", "atomic.Bool", "")
	if a.IntN(6) == 0 {
		u := a.kept("wide", "atomic.Uint64", "")
		a.line("%s", a.oneOf(
			fmt.Sprintf("%s += int(%s.Add(1))", r, u),
			fmt.Sprintf("%s = int(%s.Add(^uint64(0)) & 3)", r, u),
			fmt.Sprintf("%s += int(%s.Or(2))", r, u),
			fmt.Sprintf("%s += int(%s.And(5))", r, u)))
		return
	}
	switch a.IntN(12) {
	case 0:
		a.line("%s.Add(%d)", x, 1+a.IntN(2))
	case 1:
		a.line("%s = int(%s.Add(1))", r, x)
	case 2:
		a.line("if %s.CompareAndSwap(%d, %d) {\n%s++\n}", x, a.IntN(3), a.IntN(3), r)
	case 3:
		a.line("%s += int(%s.Swap(%d))", r, x, a.IntN(3))
	case 4:
		a.line("if %s.Load() > %d {", x, a.IntN(2))
		a.body()
		a.line("}")
	case 5:
		a.line("%s.Store(true)", flag)
	case 6:
		a.line("if %s%s.Load() {", a.oneOf("", "!"), flag)
		a.body()
		a.line("}")
	case 7:
		v := a.kept("value", "atomic.Value", "")
		a.line("if x, ok := %s.Load().(int); ok {\n%s += x\n}\n%s.Store(%s)", v, r, v, a.integer())
	case 8:
		t := a.helper("node", "type node struct {\n\tn    int\n\tnext *node\n}")
		p := a.kept("head", "atomic.Pointer["+t+"]", "")
		if a.IntN(2) == 0 {
			a.line("if old := %s.Load(); old != nil {\n%s += old.n\n} else {\n%s.Store(&node{n: %s})\n}", p, r, p, a.integer())
		} else {
			o := a.name("old")
			a.line("for {\n%s := %s.Load()\nif %s.CompareAndSwap(%s, &node{n: %s, next: %s}) {\nbreak\n}\n}", o, p, p, o, a.integer(), o)
		}
	case 9:
		o := a.name("old")
		a.line("for {\n%s := %s.Load()\nif %s.CompareAndSwap(%s, %s+1) {\n%s = int(%s)\nbreak\n}\n}", o, x, x, o, o, r, o)
	case 10:
		w := a.kept("word32", "uint32", "")
		a.line("%s += int(atomic.%s)", r, a.oneOf("AddUint32(&"+w+", ^uint32(0))&3", "LoadUint32(&"+w+")&7", "SwapUint32(&"+w+", 2)&3"))
	case 11:
		a.line("if !%s.Swap(true) {", flag)
		a.body()
		a.line("}")
	}
}

// try sends or receives if that can be done at once.
func (a *author) try() {
	c := a.kept("spare", "chan int", "make(chan int, 1)")
	r := a.result()
	switch a.IntN(4) {
	case 0:
		a.line("select {\ncase %s <- %s:\n%s++\ndefault:\n}", c, a.integer(), r)
	case 1:
		a.line("select {\ncase x := <-%s:\n%s += x\ndefault:", c, r)
		a.body()
		a.line("}")
	case 2:
		a.line("if len(%s) == cap(%s) {\n%s++\n}", c, c, r)
	case 3:
		a.line("select {\ncase x, ok := <-%s:\nif ok {\n%s = x\n}\ncase %s <- 2:", c, r, c)
		a.body()
		a.line("default:\n}")
	}
}

// onceForms uses what is done once.
func (a *author) onceForms() {
	r := a.result()
	x := a.kept("count", "atomic.Int32", "")
	switch a.IntN(4) {
	case 0:
		o, v := a.kept("once", "sync.Once", ""), a.kept("first", "int", "")
		a.line("%s.Do(func() { %s = %s })\n%s += %s", o, v, a.integer(), r, v)
	case 1:
		f := a.kept("initial", "func() int", "sync.OnceValue(func() int { return int("+x+".Add(1)) })")
		a.line("%s += %s()", r, f)
	case 2:
		f := a.kept("start", "func()", "sync.OnceFunc(func() { "+x+".Store(2) })")
		a.line("%s()", f)
	case 3:
		f := a.kept("both", "func() (int, error)", "sync.OnceValues(func() (int, error) { return int("+x+".Load()), nil })")
		v := a.name("v")
		a.line("if %s, err := %s(); err == nil {\n%s = %s\n}", v, f, r, v)
	}
}

// recovers calls something that may panic.
func (a *author) recovers() {
	r := a.result()
	a.helper("failure", "type failure struct{ code int }\n\nfunc (f *failure) Error() string { return \"failure\" }")
	a.line("func() {\ndefer func() {")
	switch a.IntN(3) {
	case 0:
		a.line("if x := recover(); x != nil {\n%s++\n}", r)
	case 1:
		a.line("switch x := recover().(type) {\ncase nil:\ncase *failure:\n%s += x.code\ncase error:\n%s = 1\ndefault:\n%s = 2\n}", r, r, r)
	case 2:
		a.line("if f, ok := recover().(*failure); ok {\n%s = f.code\n}", r)
	}
	a.line("}()")
	a.line("if %s {\npanic(&failure{%s})\n}", a.condition(), a.integer())
	if a.IntN(2) == 0 {
		a.line("if %s {\n%s\n}", a.condition(), a.oneOf(`panic("text")`, `panic(errors.New("an error"))`, "var none []int\n_ = none["+a.result()+"]"))
	}
	a.line("}()")
}

// table is a lookup that decides what is called.
func (a *author) table() {
	r := a.result()
	f := a.name("steps")
	switch a.IntN(3) {
	case 0:
		a.line("%s := []func(int) int{\nfunc(n int) int { return n + 1 },\nfunc(n int) int { return %s },\n}\n%s = %s[%s&1](%s)", f, a.integer(), r, f, a.integer(), a.integer())
	case 1:
		a.line("%s := map[bool]func() int{\ntrue: func() int { return %s },\nfalse: func() int { return 1 },\n}\n%s += %s[%s]()", f, a.integer(), r, f, a.condition())
	case 2:
		t := a.name("pair")
		a.line("type %s struct{ x, y int }\n%s := %s{%s, %s}\nif %s.x == %s.y {\n%s.y++\n}\n%s = %s.y", t, f, t, a.integer(), a.integer(), f, f, f, r, f)
	}
}

// timers waits for time to pass.
func (a *author) timers() {
	if a.quiet || a.uses["timers"] && a.IntN(2) == 0 {
		a.keep("1")
		return
	}
	a.uses["timers"] = true
	r := a.result()
	d := a.oneOf("time.Millisecond", "2*time.Millisecond", "5*time.Millisecond")
	t := a.name("t")
	switch a.IntN(6) {
	case 0:
		a.line("time.Sleep(%s)", d)
	case 1:
		a.line("<-time.After(%s)", d)
	case 2:
		a.line("%s := time.NewTimer(%s)\nif %s.Stop() {\n%s++\n}", t, d, t, r)
	case 3:
		a.line("%s := time.NewTimer(%s)\nselect {\ncase <-%s.C:\n%s++\ncase x := <-%s:\n%s += x\n%s.Stop()\n}", t, d, t, r, a.kept("spare", "chan int", "make(chan int, 1)"), r, t)
	case 4:
		x := a.kept("count", "atomic.Int32", "")
		a.line("%s := time.AfterFunc(%s, func() { %s.Add(1) })", t, d, x)
		a.line("%s %s", r, a.oneOf("+= int("+x+".Load())", "++"))
		a.line("if !%s.Stop() {\n%s = 3\n}", t, r)
	case 5:
		a.line("%s := time.NewTimer(%s)\n%s.Reset(%s)\n<-%s.C", t, d, t, a.oneOf("time.Millisecond", "3*time.Millisecond"), t)
	}
}

// context is one that something cancels.
func (a *author) context() (ctx, cancel string) {
	if a.once("context") {
		a.uses["causes"] = a.IntN(2) == 0
	}
	if a.uses["causes"] {
		return a.kept("ctx", "context.Context", ""), a.kept("cancel", "context.CancelCauseFunc", "")
	}
	return a.kept("ctx", "context.Context", ""), a.kept("cancel", "context.CancelFunc", "")
}

// cancels ends the context.
func (a *author) cancels() {
	_, cancel := a.context()
	if a.uses["causes"] {
		a.line("%s(%s)", cancel, a.oneOf("nil", a.kept("errLate", "error", `errors.New("late")`)))
		return
	}
	a.line("%s()", cancel)
}

// polls looks whether the context has ended.
func (a *author) polls() {
	if a.quiet || !a.uses["context"] && a.IntN(2) == 0 {
		a.keep("0")
		return
	}
	ctx, _ := a.context()
	r := a.result()
	switch a.IntN(5) {
	case 0:
		a.line("if %s.Err() != nil {", ctx)
		a.body()
		a.line("}")
	case 1:
		a.line("select {\ncase <-%s.Done():\n%s++\ndefault:", ctx, r)
		a.body()
		a.line("}")
	case 2:
		a.line("if errors.Is(context.Cause(%s), context.Canceled) {\n%s = 2\n}", ctx, r)
	case 3:
		x := a.kept("count", "atomic.Int32", "")
		s := a.name("stop")
		a.line("%s := context.AfterFunc(%s, func() { %s.Add(1) })\nif !%s() {\n%s++\n}", s, ctx, x, s, r)
	case 4:
		c := a.name("child")
		a.line("%s, stop%s := context.WithTimeout(%s, %s)", c, c, ctx, a.oneOf("time.Millisecond", "time.Hour"))
		a.line("if %s {\n%s++\n}\nstop%s()\nif %s.Err() == context.DeadlineExceeded {\n%s = 3\n}", a.condition(), r, c, c, r)
	}
}

// does plans what goroutine k does for others.
func (a *author) does(k int, f func()) {
	switch a.IntN(24) {
	case 0: // left out
		return
	case 1: // twice
		a.pieces[k] = append(a.pieces[k], f)
	case 2: // on a condition
		g := f
		f = func() {
			a.line("if %s {", a.condition())
			a.scope(g)
			a.line("}")
		}
	}
	a.pieces[k] = append(a.pieces[k], func() {
		wrap := a.IntN(12)
		if a.test && k == len(a.pieces)-1 && a.IntN(4) == 0 {
			a.line("t.Run(\"sub\", func(t *testing.T) {")
			if a.IntN(4) == 0 {
				a.line("defer t.Cleanup(func() { %s++ })", a.result())
			}
			a.scope(f)
			a.line("})")
			return
		}
		switch wrap {
		case 0:
			a.line("func() {")
			a.scope(f)
			a.line("}()")
		case 1:
			a.line("func() {\ndefer func() {")
			a.scope(f)
			a.line("}()")
			a.body()
			a.line("}()")
		case 2:
			a.line("for range 1 {")
			a.scope(f)
			a.line("}")
		default:
			f()
		}
	})
}

// send sends an integer.
func (a *author) send(c, value string) {
	switch a.IntN(5) {
	case 0:
		a.line("%s(%s, %s)", a.helper("put", "func put[T any](c chan<- T, v T) { c <- v }"), c, value)
	case 1:
		s := a.name("out")
		a.line("var %s chan<- int = %s\n%s <- %s", s, c, s, value)
	default:
		a.line("%s <- %s", c, value)
	}
}

// receive receives an integer.
func (a *author) receive(c string) {
	r := a.result()
	switch a.IntN(9) {
	case 0:
		v := a.name("v")
		a.line("%s := <-%s\n%s += %s", v, c, r, v)
		a.vars = append(a.vars, v)
	case 1:
		a.line("if x, ok := <-%s; ok && x != 0 {", c)
		a.body()
		a.line("}")
	case 2:
		a.line("switch <-%s {\ncase 0:", c)
		a.body()
		a.line("case 1:\n%s = 1\n}", r)
	case 3:
		a.line("%s = %s(<-%s)", r, a.helper("small", "func small(n int) int {\n\tif n < 0 {\n\t\treturn 0\n\t}\n\tif n > 3 {\n\t\treturn 3\n\t}\n\treturn n\n}"), c)
	case 4:
		a.line("%s = %s(%s)", r, a.helper("take", "func take(c <-chan int) (n int) {\n\tdefer func() { n++ }()\n\treturn <-c\n}"), c)
	case 5:
		a.line("for range small2(<-%s) {\n%s++\n}", c, r)
		a.helper("small2", "func small2(n int) int {\n\tif n < 0 || n > 2 {\n\t\treturn 2\n\t}\n\treturn n\n}")
	default:
		a.line("%s %s <-%s", r, a.oneOf("=", "+=", "-="), c)
	}
}

// protocol plans something that goroutines do for each other.
func (a *author) protocol() {
	n := len(a.pieces)
	p := a.IntN(n)
	q := (p + 1 + a.IntN(n-1)) % n
	o := a.IntN(n)
	for n > 2 && (o == p || o == q) {
		o = a.IntN(n)
	}
	switch k := a.IntN(24); k {
	case 0, 1: // values
		c := a.channel("int", a.IntN(2))
		count := 1 + a.IntN(2)
		for i := range count {
			from := p
			if i == 1 && o != q {
				from = o
			}
			a.does(from, func() { a.send(c, a.integer()) })
			a.does(q, func() { a.receive(c) })
		}
	case 2: // a range over what is sent
		c := a.channel("int", a.IntN(2))
		a.does(p, func() {
			if a.IntN(2) == 0 {
				a.line("for i := range 2 {\n%s <- i\n}\nclose(%s)", c, c)
			} else {
				a.line("func() {\ndefer close(%s)\n%s <- %s\n}()", c, c, a.integer())
			}
		})
		a.does(q, func() {
			x := a.name("x")
			a.line("for %s := range %s {", x, c)
			a.scope(func() {
				a.vars = append(a.vars, x)
				a.body()
				a.keep(x)
			})
			a.line("}")
		})
	case 3: // a request and its answer
		t := a.helper("request", "type request struct {\n\tn     int\n\treply chan int\n}")
		c := a.channel(a.oneOf("", "*")+t, 0)
		pointer := strings.Contains(a.shared[len(a.shared)-1].typ, "*"+t)
		a.does(p, func() {
			v := a.name("reply")
			made := fmt.Sprintf("%s{%s, %s}", t, a.integer(), v)
			if pointer {
				made = "&" + made
			}
			a.line("%s := make(chan int, %d)\n%s <- %s\n%s += <-%s", v, a.IntN(2), c, made, a.result(), v)
		})
		a.does(q, func() {
			v := a.name("q")
			a.line("%s := <-%s\n%s.reply <- %s.n + %s", v, c, v, v, a.integer())
		})
	case 4: // a condition
		mu, cond := a.share("lock", a.oneOf("sync.Mutex", "sync.RWMutex"), ""), ""
		l := a.shared[len(a.shared)-1]
		reader := l.typ == "sync.RWMutex" && a.IntN(2) == 0
		if reader {
			cond = a.share("cond", "*sync.Cond", "sync.NewCond("+mu+".RLocker())")
		} else {
			cond = a.share("cond", "*sync.Cond", "sync.NewCond(&"+mu+")")
		}
		ready := a.share("ready", "int", "")
		a.does(p, func() {
			a.line("%s.Lock()\n%s++\n%s.Unlock()\n%s.%s()", mu, ready, mu, cond, a.oneOf("Signal", "Broadcast"))
		})
		a.does(q, func() {
			a.line("%s.L.Lock()\n%s %s == 0 {\n%s.Wait()\n}\n%s += %s\n%s.L.Unlock()", cond, a.oneOf("for", "for", "for", "if"), ready, cond, a.result(), ready, cond)
		})
	case 5: // a group
		wg, v := a.share("group", "sync.WaitGroup", ""), a.share("made", "int", "")
		a.pieces[n-1] = append([]func(){func() { a.line("%s.Add(1)", wg) }}, a.pieces[n-1]...)
		a.uses["early"] = true
		a.does(p, func() { a.line("%s = %s\n%s.Done()", v, a.integer(), wg) })
		a.does(q, func() { a.line("%s.Wait()\n%s += %s", wg, a.result(), v) })
	case 6, 7: // the end of a context
		ctx, _ := a.context()
		a.does(p, a.cancels)
		a.does(q, func() {
			r := a.result()
			switch a.IntN(4) {
			case 0:
				a.line("<-%s.Done()\nif context.Cause(%s) == context.Canceled {\n%s++\n}", ctx, ctx, r)
			case 1:
				c := a.name("child")
				a.line("%s, stop%s := context.WithTimeout(%s, %s)\n<-%s.Done()\nif %s.Err() == context.DeadlineExceeded {\n%s = 2\n}\nstop%s()", c, c, ctx, a.oneOf("time.Millisecond", "time.Second"), c, c, r, c)
			case 2:
				d := a.name("d")
				a.line("%s := make(chan int, 1)\ncontext.AfterFunc(%s, func() { %s <- 1 })\n%s += <-%s", d, ctx, d, r, d)
			case 3:
				a.line("select {\ncase <-%s.Done():\n%s++\ncase x := <-%s:\n%s += x\n}", ctx, r, a.kept("spare", "chan int", "make(chan int, 1)"), r)
			}
		})
	case 8: // a timeout
		c := a.channel("int", a.IntN(2))
		c2 := ""
		if a.IntN(2) == 0 {
			c2 = a.channel("int", 1)
		}
		d := a.oneOf("time.Millisecond", "2*time.Millisecond")
		a.does(p, func() {
			a.line("select {\ncase %s <- %s:\ncase <-time.After(%s):\n%s++\n}", c, a.integer(), d, a.result())
			if c2 != "" {
				a.line("%s <- 1", c2)
			}
		})
		a.does(q, func() {
			a.line("select {\ncase x := <-%s:\n%s += x\ncase <-time.After(%s):\n%s = 1\n}", c, a.result(), a.oneOf("time.Millisecond", "3*time.Millisecond"), a.result())
			if c2 != "" {
				a.line("%s = <-%s", a.result(), c2)
			}
		})
	case 9: // a semaphore
		c := a.channel("struct{}", 1)
		v := a.share("inside", "int", "")
		for _, k := range []int{p, q} {
			a.does(k, func() {
				a.line("%s <- struct{}{}\n%s++\n%s += %s\n<-%s", c, v, a.result(), v, c)
			})
		}
	case 10: // a channel that comes through a channel
		c := a.channel("chan int", a.IntN(2))
		a.does(p, func() {
			v := a.name("inner")
			a.line("%s := make(chan int, %d)\n%s <- %s\n%s += <-%s", v, a.IntN(2), c, v, a.result(), v)
		})
		a.does(q, func() { a.line("(<-%s) <- %s", c, a.integer()) })
	case 11: // a function that comes through a channel
		c := a.channel("func(int) int", a.IntN(2))
		x := a.kept("count", "atomic.Int32", "")
		a.does(p, func() {
			if a.IntN(2) == 0 {
				a.line("%s <- func(n int) int { return n + int(%s.Add(1)) }", c, x)
			} else {
				v := a.name("v")
				a.line("%s := %s\n%s <- func(n int) int { return n + %s }", v, a.integer(), c, v)
			}
		})
		a.does(q, func() { a.line("%s = (<-%s)(%s)", a.result(), c, a.integer()) })
	case 12, 13: // whichever is first
		typ := a.oneOf("int", "int", "string", "error", "any")
		c, d := a.channel("int", a.IntN(2)), a.channel(typ, a.IntN(2))
		a.does(p, func() { a.send(c, a.integer()) })
		a.does(o, func() {
			value := a.integer()
			switch typ {
			case "string":
				value = a.oneOf(`"a"`, `""`)
			case "error":
				value = a.oneOf("nil", `errors.New("e")`)
			}
			a.line("%s <- %s", d, value)
		})
		a.does(q, func() {
			r := a.result()
			l := a.name("loop")
			a.line("%s:\nfor i := 0; ; i++ {\nif i == 2 {\nbreak\n}\nselect {\ncase x := <-%s:\n%s = x + i", l, c, r)
			a.body()
			a.line("case x := <-%s:", d)
			switch typ {
			case "string":
				a.line("%s += len(x)", r)
			case "error":
				a.line("if x != nil {\n%s++\n}", r)
			case "any":
				a.line("if n, ok := x.(int); ok {\n%s = n\n}", r)
			default:
				a.line("%s -= x", r)
			}
			a.line("if %s {\n%s %s\n}\n}\n}", a.condition(), a.oneOf("continue", "continue", "break"), l)
		})
	case 14: // until it is told to end
		c, quit := a.channel("int", a.IntN(2)), a.channel("struct{}", 0)
		a.does(p, func() {
			if a.IntN(2) == 0 {
				a.send(c, a.integer())
			}
			a.line("close(%s)", quit)
		})
		a.does(q, func() {
			l := a.name("loop")
			a.line("%s:\nfor {\nselect {\ncase x := <-%s:", l, c)
			a.scope(func() {
				a.keep("x")
				a.body()
			})
			a.line("case <-%s:\nbreak %s\n}\n}", quit, l)
		})
	case 15: // a queue
		t := a.helper("queue", "type queue[T any] struct {\n\tmu    sync.Mutex\n\titems []T\n\tready chan struct{}\n}\n\nfunc (q *queue[T]) push(v T) {\n\tq.mu.Lock()\n\tq.items = append(q.items, v)\n\tq.mu.Unlock()\n\tq.ready <- struct{}{}\n}\n\nfunc (q *queue[T]) pop() (v T) {\n\t<-q.ready\n\tq.mu.Lock()\n\tdefer q.mu.Unlock()\n\tv, q.items = q.items[0], q.items[1:]\n\treturn v\n}")
		v := a.share("queue", "*"+t+"[int]", "&"+t+"[int]{ready: make(chan struct{}, 4)}")
		a.does(p, func() { a.line("%s.push(%s)", v, a.integer()) })
		if o != q && a.IntN(2) == 0 {
			a.does(o, func() { a.line("%s.push(%s)", v, a.integer()) })
		}
		a.does(q, func() { a.line("%s += %s.pop()", a.result(), v) })
	case 16: // structs
		t := a.helper("event", "type event struct {\n\tkind string\n\tn    int\n\terr  error\n}")
		c := a.channel(t, a.IntN(2))
		a.does(p, func() { a.line("%s <- %s{kind: %s, n: %s}", c, t, a.oneOf(`"set"`, `"add"`), a.integer()) })
		a.does(q, func() {
			a.line("switch e := <-%s; e.kind {\ncase \"set\":\n%s = e.n\ncase \"add\":\n%s += e.n\ndefault:\n%s++\n}", c, a.result(), a.result(), a.result())
		})
	case 17: // a gate
		c := a.channel("struct{}", 0)
		a.does(p, func() { a.line("close(%s)", c) })
		for _, k := range []int{q, o} {
			if k != p {
				a.does(k, func() {
					a.line("%s", a.oneOf("<-"+c, "for range "+c+" {\n}", "if _, ok := <-"+c+"; !ok {\n"+a.result()+"++\n}"))
				})
			}
		}
	case 18: // a pipeline
		c, d := a.channel("int", a.IntN(2)), a.channel("int", a.IntN(2))
		a.does(p, func() { a.line("%s <- %s\nclose(%s)", c, a.integer(), c) })
		a.does(q, func() {
			x := a.name("x")
			a.line("for %s := range %s {\n%s <- %s * 2\n}\nclose(%s)", x, c, d, x, d)
		})
		if o != q && o != p {
			a.does(o, func() { a.line("for x := range %s {\n%s += x\n}", d, a.result()) })
		} else {
			a.does(p, func() { a.receive(d) })
		}
	case 19: // until both are closed
		c, d := a.channel("int", a.IntN(2)), a.channel("int", a.IntN(2))
		a.does(p, func() { a.line("%s <- %s\nclose(%s)", c, a.integer(), c) })
		a.does(o, func() { a.line("%s <- %s\nclose(%s)", d, a.integer(), d) })
		a.does(q, func() {
			v, w := a.name("in"), a.name("in")
			a.line("%s, %s := %s, %s\nfor %s != nil || %s != nil {\nselect {\ncase x, ok := <-%s:\nif !ok {\n%s = nil\ncontinue\n}\n%s = x\ncase x, ok := <-%s:\nif !ok {\n%s = nil\nbreak\n}\n%s = x + 1\n}\n}", v, w, c, d, v, w, v, v, a.result(), w, w, a.result())
		})
	case 20: // a lock that another one gives back
		mu := a.share("handed", "sync.Mutex", "")
		a.pieces[n-1] = append([]func(){func() { a.line("%s.Lock()", mu) }}, a.pieces[n-1]...)
		a.uses["early"] = true
		v := a.share("given", "int", "")
		a.does(p, func() { a.line("%s = %s\n%s.Unlock()", v, a.integer(), mu) })
		a.does(q, func() { a.line("%s.Lock()\n%s += %s\n%s.Unlock()", mu, a.result(), v, mu) })
	case 21: // an exchange
		c := a.channel("int", 0)
		for _, k := range []int{p, q} {
			a.does(k, func() {
				a.line("select {\ncase %s <- %s:\ncase x := <-%s:\n%s = x\n}", c, a.integer(), c, a.result())
			})
		}
	case 22: // contexts with causes
		e := a.kept("errLate", "error", `errors.New("late")`)
		t := a.helper("task", "type task struct {\n\tctx    context.Context\n\tcancel context.CancelCauseFunc\n}\n\nfunc newTask() *task {\n\tt := new(task)\n\tt.ctx, t.cancel = context.WithCancelCause(context.Background())\n\treturn t\n}")
		v := a.share("task", "*"+t, "newTask()")
		for _, k := range []int{p, o} {
			a.does(k, func() { a.line("%s.cancel(%s)", v, a.oneOf("nil", e)) })
		}
		a.does(q, func() {
			c := a.name("child")
			a.line("%s, stop%s := context.WithCancel(%s.ctx)\ndefer stop%s()\n<-%s.Done()\nif errors.Is(context.Cause(%s), %s) {\n%s = 2\n}", c, c, v, c, c, c, e, a.result())
		})
	case 23: // the first error
		t := a.helper("group", "type group struct {\n\twg   sync.WaitGroup\n\tonce sync.Once\n\terr  error\n}\n\nfunc (g *group) run(f func() error) {\n\tg.wg.Add(1)\n\tgo func() {\n\t\tdefer g.wg.Done()\n\t\tif err := f(); err != nil {\n\t\t\tg.once.Do(func() { g.err = err })\n\t\t}\n\t}()\n}\n\nfunc (g *group) wait() error {\n\tg.wg.Wait()\n\treturn g.err\n}")
		e := a.kept("errLate", "error", `errors.New("late")`)
		x := a.kept("count", "atomic.Int32", "")
		a.does(q, func() {
			g := a.name("tasks")
			a.line("var %s %s\n%s.run(func() error { %s.Add(1); return %s })\n%s.run(func() error {\nif %s.Load() == 1 {\nreturn errors.New(\"other\")\n}\nreturn nil\n})\nif err := %s.wait(); err == %s {\n%s++\n}", g, t, g, x, a.oneOf("nil", e), g, x, g, e, a.result())
		})
	}
}

// goroutine is the text of what goroutine k does; main is the last.
func (a *author) goroutine(k int) string {
	return a.written(func() {
		a.vars = []string{a.name("r")}
		a.line("%s := %d", a.result(), a.IntN(2))
		a.line("_ = %s", a.result()) // it may only be set
		a.budget = 2 + a.IntN(3)
		for _, piece := range a.pieces[k] {
			if a.IntN(3) == 0 {
				a.statement()
			}
			piece()
		}
		if a.IntN(2) == 0 {
			a.statement()
		}
		if a.racy {
			a.plain()
		}
	})
}

func (a *author) program() string {
	goroutines := 1 + a.IntN(5)/2 // besides main
	a.pieces = make([][]func(), goroutines+1)
	for range 1 + a.IntN(2) {
		a.protocol()
	}
	// What main does first is not put off until goroutines are started.
	first := ""
	if a.uses["early"] {
		a.vars = []string{"none"}
		first = a.written(a.pieces[goroutines][0])
		a.pieces[goroutines] = a.pieces[goroutines][1:]
	}
	join := a.IntN(4)
	results := ""
	switch join {
	case 0:
		results = a.share("results", "chan int", fmt.Sprintf("make(chan int, %d)", a.IntN(2)))
	case 1, 2:
		results = a.share("sums", fmt.Sprintf("[%d]int", goroutines), "")
	case 3:
		results = a.share("total", "atomic.Int64", "")
	}
	wg := ""
	if join > 0 {
		wg = a.share("wg", "sync.WaitGroup", "")
	}
	var starts, named strings.Builder
	for k := range goroutines {
		a.quiet, a.depth = false, 0
		text := a.goroutine(k)
		r := a.result()
		ends := ""
		switch join {
		case 0:
			ends = fmt.Sprintf("%s <- %s\n", results, r)
		case 1, 2:
			ends = fmt.Sprintf("%s[%d] = %s\n", results, k, r)
		case 3:
			ends = fmt.Sprintf("%s.Add(int64(%s))\n", results, r)
		}
		group := join > 0 && a.IntN(2) == 0 // wg.Go
		begins := ""
		if join > 0 && !group {
			fmt.Fprintf(&starts, "%s.Add(1)\n", wg)
			begins = fmt.Sprintf("defer %s.Done()\n", wg)
		}
		if a.IntN(12) == 0 {
			ends += "runtime.Goexit()\n"
		}
		body := begins + text + ends
		uses := regexp.MustCompile(`\bt\.Errorf`).MatchString(body) && a.home != inMain
		switch form := a.IntN(4); {
		case group && a.home == inStruct && !uses && form < 2:
			fmt.Fprintf(&named, "func (s *state) run%d() {\n%s}\n\n", k, body)
			fmt.Fprintf(&starts, "%s.Go(s.run%d)\n", wg, k)
		case group:
			fmt.Fprintf(&starts, "%s.Go(func() {\n%s})\n", wg, body)
		case form == 0 && a.home == inStruct && !uses:
			fmt.Fprintf(&named, "func (s *state) run%d() {\n%s}\n\n", k, body)
			fmt.Fprintf(&starts, "go s.run%d()\n", k)
		case form == 0 && a.home == inPackage && !uses:
			fmt.Fprintf(&named, "func run%d() {\n%s}\n\n", k, body)
			fmt.Fprintf(&starts, "go run%d()\n", k)
		case form == 1:
			fmt.Fprintf(&starts, "run%d := func() {\n%s}\ngo run%d()\n", k, body, k)
		default:
			fmt.Fprintf(&starts, "go func() {\n%s}()\n", body)
		}
	}
	a.quiet, a.depth = false, 0
	rest := a.goroutine(goroutines)
	end := a.written(func() {
		r := a.result()
		switch join {
		case 0:
			v := a.name("v")
			a.line("for range %d {\n%s := <-%s", goroutines, v, results)
			a.scope(func() {
				a.vars = append(a.vars, v)
				if a.IntN(2) == 0 {
					a.line("%s = %s*2 + %s", r, r, v)
				} else {
					a.keep(v)
				}
			})
			a.line("}")
		case 1, 2:
			a.line("%s.Wait()\nfor i, x := range %s {\n%s += x * (i + 1)\n}", wg, results, r)
		case 3:
			a.line("%s.Wait()\n%s += int(%s.Load())", wg, r, results)
		}
		if a.IntN(4) > 0 {
			a.line("if %s == %d {", r, a.IntN(7))
			a.fail()
			a.line("}")
		}
	})
	return a.assemble(first, starts.String(), rest+end, named.String())
}

// assemble puts the parts of a program together, with what they use.
func (a *author) assemble(first, starts, rest, named string) string {
	body := first + starts + rest + named
	used := func(name string) bool { return regexp.MustCompile(`\b` + name + `\b`).MatchString(body) }
	var shared []common
	for again := true; again; { // what is used by what is used
		again = false
		for _, d := range slices.Backward(a.shared) {
			if used(d.name) && !slices.Contains(shared, d) {
				shared = append(shared, d)
				body += d.init
				again = true
			}
		}
	}
	var kept []common
	for _, d := range a.shared {
		if slices.Contains(shared, d) {
			kept = append(kept, d)
		}
	}
	var top, begin strings.Builder
	if a.home == inStruct {
		top.WriteString("type state struct {\n")
		for _, d := range kept {
			fmt.Fprintf(&top, "%s %s\n", d.name, d.typ)
		}
		top.WriteString("}\n\n")
		begin.WriteString("s := &state{}\n")
	}
	for _, d := range kept {
		switch {
		case a.home == inMain && d.init == "":
			fmt.Fprintf(&begin, "var %s %s\n", d.name, d.typ)
			if d.typ == "int" { // it may only be set
				fmt.Fprintf(&begin, "_ = %s\n", d.name)
			}
		case a.home == inMain:
			fmt.Fprintf(&begin, "%s := %s\n", d.name, d.init)
		case a.home == inPackage && d.init == "":
			fmt.Fprintf(&top, "var %s %s\n\n", d.name, d.typ)
		case a.home == inPackage:
			fmt.Fprintf(&top, "var %s = %s\n\n", d.name, d.init)
		case d.init != "":
			fmt.Fprintf(&begin, "s.%s = %s\n", d.name, d.init)
		}
	}
	if a.uses["context"] {
		parent := "context.Background()"
		if a.test && a.IntN(2) == 0 {
			parent = "t.Context()"
		}
		make := "context.WithCancel"
		if a.uses["causes"] {
			make = "context.WithCancelCause"
		}
		c, f := a.prefix+"ctx", a.prefix+"cancel"
		if !used("ctx") {
			c = "_"
		}
		if used("cancel") {
			fmt.Fprintf(&begin, "%s, %s = %s(%s)\n", c, f, make, parent)
			arg := ""
			if a.uses["causes"] {
				arg = "nil"
			}
			fmt.Fprintf(&begin, "defer %s(%s)\n", f, arg)
		} else if used("ctx") {
			fmt.Fprintf(&begin, "%s = %s\n", c, parent)
		}
	}
	entry := "func main() {\n"
	pkg := "package main\n\n"
	if a.test {
		entry, pkg = "func TestP(t *testing.T) {\n", "package p\n\n"
	}
	text := top.String() + a.decls.String() + named + entry + begin.String() + first + starts + rest + "}\n"
	var imports strings.Builder
	for _, path := range []string{"context", "errors", "fmt", "runtime", "sync", "sync/atomic", "testing", "time"} {
		if regexp.MustCompile(`\b` + path[strings.LastIndexByte(path, '/')+1:] + `\.[A-Z]`).MatchString(text) {
			fmt.Fprintf(&imports, "%q\n", path)
		}
	}
	text = pkg + "import (\n" + imports.String() + ")\n\n" + text
	if formatted, err := format.Source([]byte(text)); err == nil {
		return string(formatted)
	}
	return text
}
