package blackbox_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/pass"
	"github.com/vtrace/vtrace/internal/programs"
	"github.com/vtrace/vtrace/internal/source"
)

// Others act between calls of uninstrumented code, be they in one statement or in two.
func TestExhaustLibrary(t *testing.T) {
	programs.InLong(t)
	for name, body := range map[string]string{
		"two statements": `if _, ok := m.Load("k"); !ok {
				if _, loaded := m.Swap("k", i); loaded {
					panic("two")
				}
			}`,
		"one statement": `if !is(m.Load("k")) && is(m.Swap("k", i)) {
				panic("two")
			}`,
	} {
		x, err := pass.Exhaust(t.Context(), programs.Main(t, `package main

import "sync"

func is(_ any, ok bool) bool { return ok }

func main() {
	var m sync.Map
	done := make(chan bool, 2)
	for i := range 2 {
		go func() {
			`+body+`
			done <- true
		}()
	}
	<-done
	<-done
}
`), pass.Exhaustion{}, pass.Options{})
		require.NoError(t, err)
		require.True(t, x.Covered.Proved(), "%s: %v", name, x.Covered.Limits)
		require.Equal(t, []string{artifact.KindPanic}, programs.Errors(t, x.Ends, x.Covered.Limits))
	}
}

// What is replayed is there also where goroutines use maps, in front of which only runs that
// are not exhaustive have guards.
func TestExhaustMapsReplayed(t *testing.T) {
	programs.InLong(t)
	x, err := pass.Exhaust(t.Context(), programs.Main(t, `package main

import (
	"context"
	"errors"
)

func main() {
	late := errors.New("late")
	ctx, cancel := context.WithCancelCause(context.Background())
	go cancel(late)
	for k, v := range map[int]int{1: 1} {
		_, _ = k, v
	}
	cancel(nil)
	<-ctx.Done()
	if context.Cause(ctx) == late {
		panic("the other one was first")
	}
}
`), pass.Exhaustion{}, pass.Options{})
	require.NoError(t, err)
	require.True(t, x.Covered.Proved(), "%v", x.Covered.Limits)
	require.Equal(t, []string{artifact.KindPanic}, programs.Errors(t, x.Ends, x.Covered.Limits))
}

// endsOf explores a program, which ends in these ways and in no others.
func endsOf(t *testing.T, want []string, src string) {
	t.Helper()
	x, err := pass.Exhaust(t.Context(), programs.Main(t, src), pass.Exhaustion{}, pass.Options{})
	require.NoError(t, err)
	require.True(t, x.Covered.Proved(), "%v", x.Covered.Limits)
	var got []string
	for _, e := range x.Ends {
		got = append(got, e.Message)
	}
	require.ElementsMatch(t, want, got)
}

// TestExhaustLibraryAfter: calls of uninstrumented code come in every order, also where a
// goroutine makes one right after an operation that another one waits for.
func TestExhaustLibraryAfter(t *testing.T) {
	programs.InLong(t)
	operations := []struct{ name, begin, a, b string }{
		{"rendezvous", "c := make(chan int)", "c <- 1", "<-c"},
		{"buffer", "c := make(chan int, 1)", "c <- 1", "<-c"},
		{"close", "c := make(chan int)", "close(c)", "<-c"},
		{"wait group", "var wg sync.WaitGroup; wg.Add(1)", "wg.Done()", "wg.Wait()"},
		{"an argument", "c := make(chan int)", "c <- 1", "_ = []int{<-c}"},
		{"a lock", "var mu sync.Mutex; mu.Lock()", "mu.Unlock()", "mu.Lock()"},
	}
	functions, table, ends := "", "", ""
	var want []string
	for i, o := range operations {
		functions += fmt.Sprintf("func operation%d(log func(string)) {\n\t%s\n\tgo func() {\n\t\t%s\n\t\tlog(\"a\")\n\t}()\n\tgo func() {\n\t\t%s\n\t\tlog(\"b\")\n\t}()\n}\n\n", i, o.begin, o.a, o.b)
		table += fmt.Sprintf("operation%d, ", i)
		for _, first := range []string{"a", "b"} {
			// Ends are told apart by their places.
			ends += fmt.Sprintf("\tif operation == %d && b.String()[:1] == %q {\n\t\tpanic(\"%s, %s first\")\n\t}\n", i, first, o.name, first)
			want = append(want, fmt.Sprintf("panic: %s, %s first", o.name, first))
		}
	}
	endsOf(t, want, `package main

import (
	"bytes"
	"log"
	"math/rand"
	"sync"
)

`+functions+`func main() {
	operation := rand.Intn(`+fmt.Sprint(len(operations))+`)
	var b bytes.Buffer
	l := log.New(&b, "", 0)
	var done sync.WaitGroup
	done.Add(2)
	run := [...]func(func(string)){`+table+`}[operation]
	run(func(name string) {
		l.Print(name)
		done.Done()
	})
	done.Wait()
`+ends+`}
`)
}

// TestExhaustLibraryForms: a call of uninstrumented code is a step of its own wherever it
// stands and whatever its operands wait for.
func TestExhaustLibraryForms(t *testing.T) {
	t.Parallel()
	programs.InLong(t)
	forms := []struct{ name, form string }{
		{"a condition", `if m.CompareAndSwap("w", nil, i) { return }; m.LoadOrStore("w", i)`},
		{"an argument that calls", `m.LoadOrStore("w", id(i))`},
		{"one that receives", `m.LoadOrStore("w", <-own)`},
		{"one that loads", `m.LoadOrStore("w", int(n.Load()))`},
		{"one that looks in a map", `m.LoadOrStore("w", table[0])`},
		{"one that asks for length", `m.LoadOrStore("w", i*len(own))`},
		{"one that may not call", `m.LoadOrStore("w", pair{i, id(i) > 0 && id(i) > 1}.of())`},
		{"a condition in it", `m.LoadOrStore("w", pick(i, id(i) > 0 && id(i) > 1))`},
		{"a function literal", `m.LoadOrStore("w", func() int { return <-own }())`},
		{"two results", `_, loaded := m.LoadOrStore("w", id(i)); _ = loaded`},
		{"one result", `_ = m.CompareAndSwap("v", 0, id(i))`},
		{"results returned", `func() (any, bool) { return m.LoadOrStore("w", id(i)) }()`},
		{"a function value", `f := m.LoadOrStore; f("w", id(i))`},
		{"an interface", `var s interface{ LoadOrStore(k, v any) (any, bool) } = m; s.LoadOrStore("w", id(i))`},
		{"a deferred call", `defer m.LoadOrStore("w", id(i))`},
		{"a deferred function value", `f := m.LoadOrStore; defer f("w", id(i))`},
		{"a receiver that calls", `same(m).LoadOrStore("w", i)`},
		{"an interface that is returned", `stored(m).Store("w", id(i)); m.Store("w", 3-i)`},
		{"one, and a call in an argument", `loader(m).LoadOrStore("w", id(i))`},
		{"a function of a table", `[]func(k, v any) (any, bool){m.LoadOrStore}[zero()]("w", i)`},
		{"one, and an argument that receives", `[]func(k, v any) (any, bool){m.LoadOrStore}[zero()]("w", <-own)`},
		{"a function without results", `[]func(k, v any){m.Store}[zero()]("w", 3-i)`},
		{"an element of a result", `m.LoadOrStore("w", list(i)[0].i)`},
		{"what a result points to", `m.LoadOrStore("w", *pointer(i))`},
		{"a method of an element", `m.LoadOrStore("w", list(i)[0].get())`},
		{"an element of a map that is returned", `m.LoadOrStore("w", mapped(i)["k"].i)`},
		{"a call in a call", `second(m.LoadOrStore("w", second(m.LoadOrStore("w", id(i)))))`},
		{"a pool", `p.Put(&i); p.Get(); m.LoadOrStore("w", i)`},
	}
	functions, table, ends := "", "", ""
	var want []string
	for i, f := range forms {
		functions += fmt.Sprintf("\n// %s\nfunc form%d(m *sync.Map, p *sync.Pool, own chan int, n *atomic.Int32, table map[int]int, i int) {\n\t%s\n}\n", f.name, i, f.form)
		table += fmt.Sprintf("form%d, ", i)
		for _, first := range []int{1, 2} {
			// Ends are told apart by their places.
			ends += fmt.Sprintf("\tif form == %d && first == %d {\n\t\tpanic(\"%s, %d first\")\n\t}\n", i, first, f.name, first)
			want = append(want, fmt.Sprintf("panic: %s, %d first", f.name, first))
		}
	}
	endsOf(t, want, `package main

import (
	"math/rand"
	"sync"
	"sync/atomic"
)

type pair struct {
	i    int
	both bool
}

func (p pair) of() int   { return p.i }
func (p *pair) get() int { return p.i }

func zero() int { return 0 }

type loads interface{ LoadOrStore(k, v any) (any, bool) }
type stores interface{ Store(k, v any) }

func loader(m *sync.Map) loads  { return m }
func stored(m *sync.Map) stores { return m }

func list(i int) []pair           { return []pair{{i, true}} }
func pointer(i int) *int          { return &i }
func mapped(i int) map[string]pair { return map[string]pair{"k": {i, true}} }

func id(i int) int               { return i }
func pick(i int, _ bool) int     { return i }
func same(m *sync.Map) *sync.Map { return m }
func second(v any, _ bool) any   { return v }
`+functions+`
func main() {
	form := (8*rand.Intn(8) + rand.Intn(8)) % `+fmt.Sprint(len(forms))+`
	call := [...]func(m *sync.Map, p *sync.Pool, own chan int, n *atomic.Int32, table map[int]int, i int){`+table+`}[form]
	m, p := new(sync.Map), &sync.Pool{New: func() any { return new(int) }}
	m.Store("v", 0)
	c, done := make(chan int), make(chan bool)
	start := func(i int, wait func()) {
		own, n := make(chan int, 1), new(atomic.Int32)
		own <- i
		n.Store(int32(i))
		go func() {
			wait()
			call(m, p, own, n, map[int]int{0: i}, i)
			done <- true
		}()
	}
	start(1, func() { c <- 1 })
	start(2, func() { <-c })
	<-done
	<-done
	first, ok := m.Load("w")
	if !ok {
		first, _ = m.Load("v")
	}
`+ends+`}
`)
}

// TestExhaustLibraryTogether: what is done in one step with a call of uninstrumented code
// is said, if others might act between.
func TestExhaustLibraryTogether(t *testing.T) {
	programs.InLong(t)
	x, err := pass.Exhaust(t.Context(), programs.Main(t, `package main

import (
	"bytes"
	"log"
)

func both(c chan int) (int, int) { return <-c, 0 }

func main() {
	var b bytes.Buffer
	l := log.New(&b, "", 0)
	c, done := make(chan int), make(chan bool)
	go func() {
		c <- 1
		l.Print("a")
		done <- true
	}()
	l.Print(both(c))
	<-done
	if b.String()[:1] == "a" {
		panic("first")
	}
}
`), pass.Exhaustion{}, pass.Options{})
	require.NoError(t, err)
	require.Empty(t, programs.Errors(t, x.Ends, x.Covered.Limits)) // though the program may panic
	require.False(t, x.Covered.Proved())
	require.Contains(t, strings.Join(x.Covered.Limits, "\n"), "main.go:19: a call of uninstrumented code")
}

// TestExhaustKept: what the program does to a buffer that a library keeps is not ordered with
// what the library does to it, unless somebody waits.
func TestExhaustKept(t *testing.T) {
	programs.InLong(t)
	for wait, proved := range map[string]bool{"wrote": false, "flushed": true} {
		x, err := pass.Exhaust(t.Context(), programs.Main(t, `package main

import (
	"bufio"
	"bytes"
)

func main() {
	var b bytes.Buffer
	w := bufio.NewWriter(&b)
	wrote, flushed := make(chan bool, 1), make(chan bool, 1)
	go func() {
		w.WriteString("hello")
		wrote <- true
		w.Flush()
		flushed <- true
	}()
	<-`+wait+`
	if b.Len() != 5 {
		panic("not flushed")
	}
}
`), pass.Exhaustion{}, pass.Options{})
		require.NoError(t, err)
		require.Equal(t, proved, x.Covered.Proved(), "%s: %v", wait, x.Covered.Limits)
	}
}

// TestExhaustValues: choices with many alternatives are all taken if the program has few
// schedules, and said not to be if it has too many.
func TestExhaustValues(t *testing.T) {
	programs.InLong(t)
	for keys, whole := range map[string]bool{"abcde": true, "abcdefgh": false} {
		last := keys[len(keys)-1:]
		x, err := pass.Exhaust(t.Context(), programs.Main(t, `package main

func main() {
	m := map[byte]bool{}
	for _, k := range []byte("`+keys+`") {
		m[k] = true
	}
	order := ""
	for k := range m {
		order += string(k)
	}
	if order == "`+last+keys[:len(keys)-1]+`" {
		panic(order)
	}
}
`), pass.Exhaustion{}, pass.Options{})
		require.NoError(t, err)
		require.Equal(t, whole, x.Covered.Proved(), "%v", x.Covered.Limits)
		if whole {
			require.Equal(t, []string{artifact.KindPanic}, programs.Errors(t, x.Ends, x.Covered.Limits))
		} else {
			require.Contains(t, x.Covered.Limits[0], "main.go:9: a choice with more alternatives than are explored")
		}
	}
}

// TestExhaustFunctionValues: a call of a function value, or of a method of an interface, which
// may be one of uninstrumented code, is none of these if it is the program's own, however
// many results it has, also where it is deferred.
func TestExhaustFunctionValues(t *testing.T) {
	t.Parallel()
	programs.InLong(t)
	for name, c := range map[string]struct{ results, take string }{
		"none": {"", ""}, "one": {"int", "_ ="}, "two": {"(int, error)", "_, _ ="}, "three": {"(a, b, c int)", "_, _, _ ="},
	} {
		check := func(t *testing.T, statement string) {
			x, err := pass.Exhaust(t.Context(), programs.Main(t, `package main

type function func() `+c.results+`

func zero() int { return 0 }

func same(i interface{ call() `+c.results+` }) interface{ call() `+c.results+` } { return i }

func (f function) call() `+c.results+` { `+map[bool]string{true: "return "}[c.results != ""]+`f() }

func main() {
	done := make(chan bool)
	var own function
	own = func() (`+strings.Trim(c.results, "()")+`) { panic("one") }
	for k := range 3 {
		go func() {
			_ = k // they are not alike
			defer func() {
				recover()
				done <- true
			}()
			var i interface{ call() `+c.results+` } = own
			_ = i
			`+statement+`
		}()
	}
	for range 3 {
		<-done
	}
}
`), pass.Exhaustion{}, pass.Options{})
			require.NoError(t, err)
			require.True(t, x.Covered.Proved(), "%v", x.Covered.Limits)
			require.Equal(t, 6, x.Covered.Schedules) // the orders in which they send
		}
		t.Run(name, func(t *testing.T) { check(t, c.take+" own()") })
		t.Run(name+" through an interface", func(t *testing.T) { check(t, c.take+" i.call()") })
		if name == "none" || name == "two" {
			for how, call := range map[string]string{"of a table": "[]function{own}[zero()]()", "through one that is returned": "same(i).call()"} {
				t.Run(name+" "+how, func(t *testing.T) { check(t, c.take+" "+call) })
				t.Run(name+" "+how+", deferred", func(t *testing.T) { check(t, "defer "+call) })
			}
		}
	}
}

// TestExhaustGo: a goroutine that is a method of the program's own is no uninstrumented code,
// though it is called through an interface.
func TestExhaustGo(t *testing.T) {
	programs.InLong(t)
	x, err := pass.Exhaust(t.Context(), programs.Main(t, `package main

type sender struct{ to chan int }

func (s *sender) send(n int) { s.to <- n }

func main() {
	to := make(chan int)
	var s interface{ send(n int) } = &sender{to}
	for i := range 3 {
		go s.send(i)
	}
	for range 3 {
		<-to
	}
}
`), pass.Exhaustion{}, pass.Options{})
	require.NoError(t, err)
	require.True(t, x.Covered.Proved(), "%v", x.Covered.Limits)
	require.Equal(t, 6, x.Covered.Schedules)
}

// TestExhaustMethodValues: the method value of a method of the program's own is no
// uninstrumented code; that of a library's is, also where it is promoted, or in an interface.
func TestExhaustMethodValues(t *testing.T) {
	t.Parallel()
	programs.InLong(t)
	for name, c := range map[string]struct {
		value     string
		schedules int
	}{
		"own": {"new(own).put", 6}, "of a value": {"own{}.get", 6}, "promoted": {"(&outer{Logger: l}).Println", 36}, "interface": {"i.Println", 36},
	} {
		t.Run(name, func(t *testing.T) {
			x, err := pass.Exhaust(t.Context(), programs.Main(t, `package main

import (
	"io"
	"log"
)

type own struct{ n int }

func (o *own) put(...any) { o.n++ }
func (o own) get(...any)  { _ = o.n }

type outer struct{ *log.Logger }

func main() {
	l := log.New(io.Discard, "", 0)
	var i interface{ Println(...any) } = l
	_ = i
	done := make(chan bool)
	for range 3 {
		f := `+c.value+`
		go func() {
			f()
			done <- true
		}()
	}
	for range 3 {
		<-done
	}
}
`), pass.Exhaustion{}, pass.Options{})
			require.NoError(t, err)
			require.True(t, x.Covered.Proved(), "%v", x.Covered.Limits)
			require.Equal(t, c.schedules, x.Covered.Schedules)
		})
	}
}

// Where the length of a channel is asked for, others act before and after, wherever that
// stands in a statement.
func TestExhaustLength(t *testing.T) {
	t.Parallel()
	programs.InLong(t)
	for name, body := range map[string]string{
		"initialiser": `for {
			if n := len(c); n == 2 {
				panic("two")
			} else if n < 3 {
				break
			}
		}`,
		"case":     `switch { case cap(c) == 0: case len(c) == 2: panic("two") }`,
		"loop":     `for len(c) == 2 { panic("two") }`,
		"operand":  `if n := 10*len(c) + len(c); n == 12 { panic("two") }`,
		"returned": `func() { defer func(n int) { if n == 2 { panic("two") } }(len(c)) }()`,
	} {
		t.Run(name, func(t *testing.T) {
			x, err := pass.Exhaust(t.Context(), programs.Main(t, `package main

func main() {
	c := make(chan int, 3)
	go func() {
		for i := range 3 {
			c <- i
		}
		<-c
	}()
	`+body+`
}
`), pass.Exhaustion{}, pass.Options{})
			require.NoError(t, err)
			require.True(t, x.Covered.Proved(), "%v", x.Covered.Limits)
			require.Equal(t, []string{artifact.KindPanic}, programs.Errors(t, x.Ends, x.Covered.Limits))
		})
	}
}

// The length of a channel that nobody else uses then is no limit, in what is not run it
// is none either; in the initialisation of a package it is one if others are there.
func TestExhaustLengthLimits(t *testing.T) {
	programs.InLong(t)
	for init, limit := range map[string]string{"0": "", "start()": "length of a channel"} {
		x, err := pass.Exhaust(t.Context(), programs.Main(t, `package main

var c = make(chan int, 1)

var n, at = `+init+`, len(c)

func start() int {
	go func() { c <- 1 }()
	return 0
}

func main() {
	own := make(chan int, 2)
	own <- 1
	done := make(chan bool)
	go func() { done <- true }()
	if x := len(own); x != 1 {
		panic("lost")
	}
	<-done
}
`), pass.Exhaustion{}, pass.Options{})
		require.NoError(t, err)
		if limit == "" {
			require.True(t, x.Covered.Proved(), "%v", x.Covered.Limits)
			require.Equal(t, 1, x.Runs)
		} else {
			require.Contains(t, strings.Join(x.Covered.Limits, "\n"), limit)
		}
	}
}

// What is not guarded, or not recorded, is a limit where it is executed, and only there.
func TestExhaustReached(t *testing.T) {
	t.Parallel()
	programs.InLong(t)
	for call, limits := range map[string]int{
		"0": 0, "1": 1, "2": 1, "3": 2, "4": 1,
	} {
		x, err := pass.Exhaust(t.Context(), programs.Main(t, `package main

import (
	"reflect"
	"sync/atomic"
)

var n atomic.Int32

func recorded(what int) bool {
	if what&1 != 0 {
		for range 1 {
			load := (*atomic.Int32).Load
			return load(&n) == 0
		}
	}
	return true
}

func main() {
	const what = `+call+`
	done := make(chan bool)
	go func() { done <- recorded(what) }()
	<-done
	if what&2 != 0 {
		func() {
			reflect.Value.TrySend(reflect.ValueOf(make(chan int, 1)), reflect.ValueOf(1))
		}()
	}
	if what&4 != 0 {
	loop:
		for i := range 2 {
			if i == reflect.ValueOf(make(chan int, 1)).Len() || reflect.Value.TrySend(reflect.ValueOf(make(chan int, 1)), reflect.ValueOf(1)) {
				continue loop
			}
		}
	}
}
`), pass.Exhaustion{}, pass.Options{})
		require.NoError(t, err)
		require.Len(t, x.Covered.Limits, limits, "%s: %v", call, x.Covered.Limits)
		require.True(t, x.Complete)
	}
}

// The clock decides as a number only in a program that has a time: where a function that reads it is called, or not.
func TestExhaustTimed(t *testing.T) {
	t.Parallel()
	programs.InLong(t)
	for name, c := range map[string]struct {
		main    string
		decides bool
	}{
		"a library that is not called": {"if verbose { made = stamped }; if made().text == \"00:00\" { return }", false},
		"called":                       {"if made().text == \"00:00\" { return }; made = stamped; if made().text == \"00:00\" { return }", true},
		"called before, in a loop":     {"again:\nfor range 2 { if made().text == \"00:00\" { break again }; made = stamped }", true},
		"called behind":                {"if made().text == \"00:00\" { return }; made = stamped; made()", true},
		"in another goroutine":         {"c := make(chan entry); go func() { c <- stamped() }(); if (<-c).text == \"00:00\" { return }", true},
		"through an interface":         {"var k clock = system{}; if k.Now().Format(\"15\") == \"00\" { return }", true},
		"a timer":                      {"if (<-time.After(1)).Format(\"15\") == \"00\" { return }", true},
		"a deadline":                   {"ctx, stop := context.WithTimeout(context.Background(), 1); defer stop(); if d, _ := ctx.Deadline(); d.Format(\"15\") == \"00\" { return }", true},
		"out of any value":             {"var v any = stamp; stamp = v.(func() time.Time); if v.(func() time.Time)().Format(\"15\") == \"00\" { return }", true},
		"of a variable that is set":    {"at = stamp(); if at.Format(\"15\") == \"00\" { return }", true},
		"in an else":                   {"if made().text != \"plain\" { return } else if at = stamp(); at.Format(\"15\") == \"00\" { return }", true},
		"what is no clock":             {"if at = time.Unix(1, 0); at.Format(\"15\") == \"00\" || made().text == \"00:00\" { return }", false},
	} {
		x, err := pass.Exhaust(t.Context(), programs.Main(t, `package main

import (
	"context"
	"time"
)

type entry struct{ text string }

func plain() entry { return entry{"plain"} }

func stamped() entry { return entry{time.Now().Format("15:04")} }

type clock interface{ Now() time.Time }

type system struct{}

func (system) Now() time.Time { return time.Now() }

var (
	made  = plain
	at    time.Time
	stamp = time.Now
	verbose bool
	_     = context.Background
)

func main() {
	done := make(chan bool)
	go close(done)
	<-done
	`+c.main+`
}
`), pass.Exhaustion{}, pass.Options{})
		require.NoError(t, err, name)
		require.True(t, x.Complete, name)
		numbers := slices.DeleteFunc(slices.Clone(x.Covered.Limits), func(l string) bool { return !strings.Contains(l, "the clock decides as a number") })
		require.Equal(t, c.decides, len(numbers) > 0, "%s: %v", name, x.Covered.Limits)
	}
}

// Calls that tell nothing of each other, and of instrumented code through an interface,
// need no guards.
func TestExhaustSilent(t *testing.T) {
	programs.InLong(t)
	x, err := pass.Exhaust(t.Context(), programs.Main(t, `package main

import (
	"context"
	"sync"
)

type closer interface{ close(n int) }

type one struct{ mu sync.Mutex; n int }

func (o *one) close(n int) { o.mu.Lock(); o.n += n; o.mu.Unlock() }

func main() {
	var c closer = &one{}
	done, also := make(chan bool, 1), make(chan bool, 1)
	work := func(done chan bool) {
		defer func() { done <- true }()
		defer c.close(1)
		ctx, cancel := context.WithCancel(context.WithValue(context.Background(), "k", 1))
		_ = cancel
		select {
		case <-ctx.Done():
		default:
		}
		if _, ok := ctx.Deadline(); ok || ctx.Value("k") != 1 {
			panic("lost")
		}
	}
	go work(done)
	go work(also)
	<-done
	<-also
}
`), pass.Exhaustion{}, pass.Options{})
	require.NoError(t, err)
	require.True(t, x.Covered.Proved(), "%v", x.Covered.Limits)
	require.Equal(t, 2, x.Runs) // the lock
}

// withQueue is a program with a module beside it that is not instrumented.
func withQueue(t *testing.T, queue, body string) source.Spec {
	t.Helper()
	spec := programs.Main(t, `package main

import (
	"sync"

	"example.com/queue"
)

func main() {
	var mu sync.Mutex
	done, also := make(chan bool, 1), make(chan bool, 1)
	q := queue.New()
	`+body+`
	<-done
	<-also
	_ = &mu
}
`)
	spec.Deps = []string{source.NoDeps}
	for name, text := range map[string]string{
		"go.mod":         "module example.com/p\n\ngo 1.25\n\nrequire example.com/queue v0.0.0\n\nreplace example.com/queue => ./queue\n",
		"queue/go.mod":   "module example.com/queue\n\ngo 1.25\n",
		"queue/queue.go": queue,
	} {
		name = filepath.Join(spec.Dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	return spec
}

// What a package of another module only computes orders nothing: others may act between
// its calls, which do not hide races. Those that it may run into itself are limits.
func TestExhaustPlainDependency(t *testing.T) {
	t.Parallel()
	programs.InLong(t)
	const queue = `package queue

type Queue struct{ list []int }

func New() *Queue { return &Queue{} }

func (q *Queue) Add(v int) { q.list = append(q.list, v) }

func (q *Queue) Len() int { return len(q.list) }
`
	const synchronised = `package queue

import "sync"

type Queue struct{ list []int; mu sync.Mutex }

func New() *Queue { return &Queue{} }

func (q *Queue) Add(v int) { q.mu.Lock(); defer q.mu.Unlock(); q.list = append(q.list, v) }

func (q *Queue) Len() int { q.mu.Lock(); defer q.mu.Unlock(); return len(q.list) }
`
	const given = `package queue

type Queue struct{ list []int }

func New() *Queue { return &Queue{} }

func (q *Queue) AddAll(l []int) { q.list = append(q.list, l...); clear(l) }

func (q *Queue) Len() int { return len(q.list) }
`
	for _, c := range []struct {
		name, queue, body string
		runs              int
		limit, kind       string
	}{
		{"a slice that it is given", given, `l := []int{1}
	go func() { q.AddAll(l); done <- true }()
	go func() { if l[0] == 0 { panic("cleared") }; also <- true }()`, 0, "", artifact.KindPanic},
		{"an operand that waits", queue, `c := make(chan int)
	go func() { q.Add(<-c); done <- true }()
	go func() { c <- 1; if q.Len() == 1 { panic("one") }; also <- true }()`, 0, "nothing orders the uses of q", ""},
		{"with a lock", queue, `go func() { mu.Lock(); q.Add(1); mu.Unlock(); done <- true }()
	go func() { mu.Lock(); if q.Len() == 1 { panic("one") }; mu.Unlock(); also <- true }()`, 2, "", artifact.KindPanic},
		{"looking", queue, `go func() { _ = q.Len(); done <- true }()
	go func() { _ = q.Len() + q.Len(); also <- true }()`, 1, "", ""},
		{"one for each", queue, `p := queue.New()
	go func() { p.Add(1); p.Add(2); done <- true }()
	go func() { q.Add(1); q.Add(2); also <- true }()`, 1, "", ""},
		{"writing", queue, `go func() { q.Add(1); done <- true }()
	go func() { q.Add(2); also <- true }()`, 2, "", artifact.KindRace},
		{"writing, deferred", queue, `go func() { defer func() { done <- true }(); defer q.Add(1) }()
	go func() { q.Add(2); also <- true }()`, 0, "", artifact.KindRace},
		{"writing what is there", queue, `go func() { q.Add(1); done <- true }()
	go func() { q.Len(); also <- true }()`, 2, "nothing orders the uses of q", ""},
		{"writing, in a goroutine of its own", queue, `go q.Add(1)
	go func() { q.Add(2); done <- true; also <- true }()`, 0, "is not recorded", ""},
		{"a race beside", queue, `x := 0
	go func() { x = 1; q.Len(); done <- true }()
	go func() { q.Len(); _ = x; also <- true }()`, 2, "", ""},
		{"synchronised", synchronised, `go func() { q.Add(1); done <- true }()
	go func() { if q.Len() == 1 { panic("one") }; also <- true }()`, 2, "", artifact.KindPanic},
	} {
		t.Run(c.name, func(t *testing.T) {
			x, err := pass.Exhaust(t.Context(), withQueue(t, c.queue, c.body), pass.Exhaustion{}, pass.Options{})
			require.NoError(t, err)
			require.True(t, x.Complete)
			if c.runs > 0 {
				require.Equal(t, c.runs, x.Runs)
			}
			if c.limit == "" {
				require.True(t, x.Covered.Proved(), "%v", x.Covered.Limits)
			} else {
				require.Contains(t, strings.Join(x.Covered.Limits, "\n"), c.limit)
			}
			if c.kind == artifact.KindRace {
				require.NotEmpty(t, x.Races)
			} else if c.kind != "" {
				require.Equal(t, []string{c.kind}, programs.Errors(t, x.Ends, x.Covered.Limits))
			}
			if c.name == "a race beside" {
				require.NotEmpty(t, x.Guarded)
			}
		})
	}
}

// What a call of a library uses is used behind its operands: while one waits, others may act.
func TestExhaustUseBehind(t *testing.T) {
	t.Parallel()
	programs.InLong(t)
	const unordered = "nothing orders the uses of"
	for _, c := range []struct{ name, imports, made, call, ask, limit string }{
		{"a receiver", "container/list", "var q list.List", "q.PushBack(<-c)", "q.Len()", unordered},
		{"behind a function", "container/list", "q := list.New()\n\tsame := func(v int) int { return v }", "q.PushBack(same(<-c))", "q.Len()", unordered},
		{"a field", "bytes", "var q struct{ b bytes.Buffer }\n\ttext := func(int) string { return `x` }", "q.b.WriteString(text(<-c))", "q.b.Len()", unordered},
		{"an argument", "bytes encoding/json", "var q bytes.Buffer\n\ttext := func(int) string { return `x` }", "json.Indent(&q, []byte(`1`), ``, text(<-c))", "q.Len()", unordered},
		{"a result", "container/list", "q := list.New()\n\tthe := func() *list.List { return q }", "the().PushBack(<-c)", "q.Len()", "is not recorded here, behind an operand"},
		{"in order", "container/list", "var q list.List", "q.PushBack(<-c)\n\t\tc <- 1", "<-c + q.Len()", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			x, err := pass.Exhaust(t.Context(), programs.Main(t, `package main

import (
	"`+strings.ReplaceAll(c.imports, " ", "\"\n\t\"")+`"
)

func main() {
	`+c.made+`
	c, done := make(chan int), make(chan bool, 1)
	go func() {
		`+c.call+`
		done <- true
	}()
	c <- 1
	_ = `+c.ask+`
	<-done
}
`), pass.Exhaustion{}, pass.Options{})
			require.NoError(t, err)
			require.True(t, x.Complete)
			if c.limit == "" {
				require.True(t, x.Covered.Proved(), "%v", x.Covered.Limits)
			} else {
				require.Contains(t, strings.Join(x.Covered.Limits, "\n"), c.limit)
			}
		})
	}
}

// TestExhaustGiven: what functions of the library that order nothing do to memory that they
// are given is done in every order, or the result says that it is not. Where it is ordered
// there is no more to do.
func TestExhaustGiven(t *testing.T) {
	programs.InLong(t)
	const notSeen, notRecorded = "whether the library's accesses race is not seen", "is not recorded"
	for i, c := range []struct {
		name, imports, made, call, early, limit string
	}{
		{"sort", "slices", "s := []int{2, 1}", "slices.Sort(s)", "s[0] != 1", ""},
		{"sort what is returned", "slices", "s := []int{2, 1}\n\tsame := func(s []int) []int { return s }", "slices.Sort(same(s))", "s[0] != 1", ""},
		{"sort by a function", "sort", "s := []int{2, 1}", "sort.Slice(s, func(i, j int) bool { return s[i] < s[j] })", "s[0] != 1", ""},
		{"copy a map", "maps", "m := map[int]int{}", "maps.Copy(m, map[int]int{1: 1})", "len(m) != 1", ""},
		{"scan", "fmt", "var n int", `fmt.Sscan("1", &n)`, "n != 1", ""},
		{"read a slice", "strings", `s := []string{"a"}`, `s[0] = "b"`, `strings.Join(s, "") != "b"`, ""},
		{"print a map", "fmt", "m := map[int]int{}", "m[1] = 1", `fmt.Sprint(m) != "map[1:1]"`, ""},
		{"format a slice", "fmt", "s := []int{2}", "s[0] = 1", `fmt.Sprintf("%v", s) != "[1]"`, ""},
		{"print what a struct refers to", "fmt", "p := &struct{ m map[int]int }{map[int]int{}}", "p.m[1] = 1", `fmt.Sprint(p) != "&{map[1:1]}"`, notSeen},
		{"print a struct", "fmt", "s := struct{ l []int }{[]int{2}}", "s.l[0] = 1", `fmt.Sprint(s) != "{[1]}"`, notSeen},
		{"print a slice of slices", "fmt", "s := [][]int{{2}}", "s[0][0] = 1", `fmt.Sprint(s) != "[[1]]"`, notSeen},
		{"print all of a slice", "fmt", "m := map[int]int{}\n\ts := []any{&struct{ m map[int]int }{m}}", "m[1] = 1", `fmt.Sprint(s...) != "&{map[1:1]}"`, notSeen},
		{"compare", "reflect", "s := [][]int{{2}}", "s[0][0] = 1", "!reflect.DeepEqual(s, [][]int{{1}})", notSeen},
		{"encode a slice of slices", "encoding/json", "s := [][]int{{2}}\n\tencoded := func(b []byte, _ error) string { return string(b) }", "s[0][0] = 1", `encoded(json.Marshal(s)) != "[[1]]"`, notSeen},
		{"copy a string", "os", "b := make([]byte, 1)\n\t_ = os.Args", `copy(b, "a")`, "b[0] == 0", ""},
		{"print", "bytes fmt", "var b bytes.Buffer", `fmt.Fprint(&b, "x")`, "b.Len() != 1", notSeen},
		{"read", "strings", `r := strings.NewReader("x")`, "r.ReadByte()", "r.Len() != 0", notSeen},
		{"a deferred print", "fmt", "s := struct{ m map[int]int }{map[int]int{}}", "func() { defer fmt.Sprint(s) }()", "len(s.m) != 0", notRecorded},
		{"print in front of a call", "fmt", "p := &struct{ m map[int]int }{map[int]int{}}\n\tnone := func() string { return \"\" }", "p.m[1] = 1", `fmt.Sprint(p, none()) != "&{map[1:1]}"`, notSeen},
		{"sort what has methods", "sort", "s := []int{2, 1}", "sort.Sort(sort.IntSlice(s))", "s[0] != 1", ""},
		{"sort by a method", "sort", "s := []int{2, 1}", "sort.IntSlice(s).Sort()", "s[0] != 1", ""},
		{"what is made of a slice", "strings", `s := []string{"a", "b"}`, `s[1] = "c"`, `strings.NewReplacer(s...).Replace("a") != "c"`, notSeen},
		{"what a method reads", "net/url", "u := new(url.URL)", `u.RawQuery = "a=b"`, "len(u.Query()) != 1", notSeen},
		{"what a method writes", "time", "var at time.Time", `at.UnmarshalText([]byte("2020-01-01T00:00:00Z"))`, "at.IsZero()", ""},
		{"what a method of a slice writes", "encoding/json", "var raw json.RawMessage", `raw.UnmarshalJSON([]byte("1"))`, "len(raw) == 0", ""},
		{"a method as a value", "strings", "var b strings.Builder\n\tf := b.WriteString", `f("x")`, "b.Len() != 1", notRecorded},
		{"deferred", "bytes", "var b bytes.Buffer", `func() { defer b.WriteString("x") }()`, "b.Len() != 1", notSeen},
		{"deferred sort", "slices", "s := []int{2, 1}", "func() { defer slices.Sort(s) }()", "s[0] != 1", notRecorded},
	} {
		for _, ordered := range []bool{true, false} {
			if ordered && !oneOf(3, i) {
				continue
			}
			t.Run(fmt.Sprintf("%s %v", c.name, ordered), func(t *testing.T) {
				t.Parallel()
				body := "close(done)\n" + c.call
				if ordered {
					body = c.call + "\nclose(done)"
				}
				x, err := pass.Exhaust(t.Context(), programs.Main(t, `package main

import (
	"`+strings.ReplaceAll(c.imports, " ", "\"\n\t\"")+`"
)

func main() {
	`+c.made+`
	done := make(chan bool)
	go func() {
		`+body+`
	}()
	<-done
	if `+c.early+` {
		panic("early")
	}
}
`), pass.Exhaustion{}, pass.Options{})
				require.NoError(t, err)
				limits := strings.Join(x.Covered.Limits, "\n")
				switch {
				case ordered && c.limit != notRecorded:
					require.True(t, x.Covered.Proved(), limits)
					require.Empty(t, programs.Errors(t, x.Ends, x.Covered.Limits))
				case !ordered && c.limit == "":
					require.True(t, x.Covered.Proved(), limits)
					require.Equal(t, []string{artifact.KindPanic}, programs.Errors(t, x.Ends, x.Covered.Limits))
					require.Equal(t, 2, x.Runs, "early, and late")
				default:
					require.Contains(t, limits, c.limit)
				}
			})
		}
	}
}

// An exploration that is cut into many goes on where it has stopped.
func TestExhaustFrontier(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("other tests have the same goroutines for the race detector")
	}
	spec := programs.Main(t, `package main

import "sync"

func main() {
	var mu sync.Mutex
	var wg sync.WaitGroup
	last := 0
	for i := range 4 {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			last = i
		})
	}
	wg.Wait()
	if last == 2 {
		panic("the third was last")
	}
}
`)
	whole, err := pass.Exhaust(t.Context(), spec, pass.Exhaustion{}, pass.Options{})
	require.NoError(t, err)
	require.True(t, whole.Complete)
	require.Equal(t, 24, whole.Runs)
	var parts []*pass.Exhausted
	var frontier []byte
	for range 10 {
		x, err := pass.Exhaust(t.Context(), spec, pass.Exhaustion{MaxRuns: 7, Frontier: frontier}, pass.Options{})
		require.NoError(t, err)
		parts = append(parts, x)
		if frontier = x.Rest; len(frontier) == 0 {
			break
		}
		require.False(t, x.Complete)
	}
	require.Len(t, parts, 4)
	var runs []int
	for _, x := range parts { // each is the sum of those before
		runs = append(runs, x.Runs)
	}
	require.Equal(t, []int{7, 14, 21, 24}, runs)
	last := parts[3]
	require.True(t, last.Complete)
	require.Equal(t, whole.Covered, last.Covered)
	require.Equal(t, []string{artifact.KindPanic}, programs.Errors(t, last.Ends, last.Covered.Limits))
	require.Equal(t, programs.Errors(t, whole.Ends, whole.Covered.Limits), programs.Errors(t, last.Ends, last.Covered.Limits))

	// What is not one, or is of something else, is refused.
	rest := parts[0].Rest
	other := programs.Main(t, "package main\n\nfunc main() {}\n")
	for _, c := range []struct {
		name     string
		frontier string
		how      pass.Exhaustion
		spec     source.Spec
		want     string
	}{
		{"cut off", "{", pass.Exhaustion{}, spec, "unexpected end"},
		{"empty", "{}", pass.Exhaustion{}, spec, "not whole"},
		{"no object", "[1]", pass.Exhaustion{}, spec, "cannot unmarshal"},
		{"another program", string(rest), pass.Exhaustion{}, other, "of another program"},
		{"other stalls", string(rest), pass.Exhaustion{Stalls: 1}, spec, "0 stalls, not 1"},
		{"bounded", string(rest), pass.Exhaustion{Bounding: &pass.Bounding{Last: 1}}, spec, "bounded by preemptions"},
	} {
		how := c.how
		how.Frontier = []byte(c.frontier)
		_, err = pass.Exhaust(t.Context(), c.spec, how, pass.Options{})
		var refused *pass.FrontierError
		require.ErrorAs(t, err, &refused, c.name)
		require.ErrorContains(t, err, c.want, c.name)
	}
	_, err = pass.Exhaust(t.Context(), spec, pass.Exhaustion{Frontier: rest}, pass.Options{Model: &pass.Model{Args: []string{"x"}}})
	require.ErrorContains(t, err, "other arguments")
	elsewhere := spec
	elsewhere.Env = append(os.Environ(), "GODEBUG=panicnil=1")
	_, err = pass.Exhaust(t.Context(), elsewhere, pass.Exhaustion{Frontier: rest}, pass.Options{})
	require.ErrorContains(t, err, "another toolchain")
}

// What a part of an exploration has left out bounds the whole.
func TestExhaustFrontierBounds(t *testing.T) {
	if testing.Short() {
		t.Skip("other tests have the same goroutines for the race detector")
	}
	t.Parallel()
	spec := programs.Main(t, countingLoop)
	var frontier []byte
	for range 100 {
		x, err := pass.Exhaust(t.Context(), spec, pass.Exhaustion{MaxRuns: 1, Frontier: frontier}, pass.Options{})
		require.NoError(t, err)
		if frontier = x.Rest; len(frontier) > 0 {
			continue
		}
		require.True(t, x.Complete)
		require.Greater(t, x.Runs, 1)
		require.False(t, x.Covered.Proved())
		require.NotEmpty(t, x.Covered.Limits)
		return
	}
	t.Fatal("the exploration does not end")
}

// What is known when an exploration is interrupted is not lost.
func TestExhaustInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	x, err := pass.Exhaust(ctx, programs.Main(t, countingLoop), pass.Exhaustion{}, pass.Options{Progress: func(e pass.Event) {
		if s, ok := e.(pass.StageStarted); ok && s.Stage == "explore" {
			cancel()
		}
	}})
	require.ErrorIs(t, err, context.Canceled)
	require.NotNil(t, x)
	require.False(t, x.Complete)
	require.NotEmpty(t, x.Covered.Limits)
}

// countingLoop does not only look.
const countingLoop = `package main

import "sync/atomic"

func main() {
	var ready atomic.Bool
	n := 0
	go func() { ready.Store(true) }()
	for !ready.Load() {
		if n++; n == 50 {
			panic(n)
		}
	}
}
`

// Loops that only look do not bound an exploration, those that count do.
func TestExhaustLoops(t *testing.T) {
	programs.InLong(t)
	for name, body := range map[string]string{"looks": "runtime.Gosched()", "counts": "n++\n\t\tif n == 50 {\n\t\t\tpanic(n)\n\t\t}"} {
		x, err := pass.Exhaust(t.Context(), programs.Main(t, `package main

import (
	"runtime"
	"sync/atomic"
)

func main() {
	var ready atomic.Bool
	n := 0
	go func() { ready.Store(true) }()
	for !ready.Load() {
		`+body+`
	}
	_, _ = n, runtime.Gosched
}
`), pass.Exhaustion{}, pass.Options{})
		require.NoError(t, err)
		require.True(t, x.Complete)
		require.Equal(t, name == "looks", x.Covered.Proved(), "%s: %v", name, x.Covered.Limits)
	}
}

// TestExhaustParallel: an exploration by several processes has the result of one by one
// process, guards for races included, and goes on from what it has left to do.
func TestExhaustParallel(t *testing.T) {
	programs.InLong(t)
	spec := programs.Main(t, `package main

import "sync"

func main() {
	var wg sync.WaitGroup
	x := 0
	for k := range 3 {
		wg.Add(1)
		go func() {
			_ = k // they are not alike
			defer wg.Done()
			for range 3 {
				x++
			}
		}()
	}
	wg.Wait()
	if x == 2 {
		panic("hardly anything is left")
	}
}
`)
	one, err := pass.Exhaust(t.Context(), spec, pass.Exhaustion{Parallel: 1}, pass.Options{})
	require.NoError(t, err)
	require.True(t, one.Complete)
	require.Greater(t, one.Runs, 1000)
	require.NotEmpty(t, one.Guarded)
	two, err := pass.Exhaust(t.Context(), spec, pass.Exhaustion{Parallel: 2}, pass.Options{})
	require.NoError(t, err)
	require.Equal(t, one.Covered, two.Covered)
	require.Equal(t, one.Guarded, two.Guarded)
	require.Equal(t, one.Steps, two.Steps)
	same := func(x *pass.Exhausted) {
		require.Len(t, x.Ends, len(one.Ends))
		for i, e := range one.Ends {
			require.Equal(t, []any{e.Kind, e.Site, e.Count, e.Seed, e.Plan}, []any{x.Ends[i].Kind, x.Ends[i].Site, x.Ends[i].Count, x.Ends[i].Seed, x.Ends[i].Plan})
		}
	}
	same(two)
	first, err := pass.Exhaust(t.Context(), spec, pass.Exhaustion{Parallel: 2, MaxRuns: one.Runs - 200}, pass.Options{})
	require.NoError(t, err)
	require.Equal(t, one.Runs-200, first.Runs)
	whole, err := pass.Exhaust(t.Context(), spec, pass.Exhaustion{Parallel: 2, Frontier: first.Rest}, pass.Options{})
	require.NoError(t, err)
	require.Equal(t, one.Covered, whole.Covered)
	same(whole)
}

// A package that writes to a variable of its own does not only compute, by whatever form of
// access.
func TestCheckDependencyWithState(t *testing.T) {
	programs.InLong(t)
	const counter = `package queue

type counter struct{ n int }

func (c *counter) inc() int { c.n++; return c.n }

var n counter

func New() int { return 0 }

func Next() int { return n.inc() }
`
	b, err := pass.Check(t.Context(), withQueue(t, counter, `first := q
	go func() { first = queue.Next(); done <- true }()
	go func() { queue.Next(); also <- true }()
	<-done
	<-also
	done <- true
	also <- true
	if first%2 == 1 { panic("first") }`), pass.Options{})
	require.NoError(t, err)
	require.Positive(t, pass.Conclude(b).Real, b.Findings())
}
