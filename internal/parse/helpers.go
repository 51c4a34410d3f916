package parse

import (
	"fmt"
	"strings"
)

// onceSource is the generated function in place of sync.OnceFunc, OnceValue or
// OnceValues. The original does the work and keeps its result or panic.
func onceSource(zz, name string) string {
	params, results, first := "", "", "g"
	switch name {
	case "OnceValue":
		params, results, first = "[T interface{}]", "T", "func() { g() }"
	case "OnceValues":
		params, results, first = "[T, U interface{}]", "(T, U)", "func() { g() }"
	}
	last := "return g()"
	if results == "" {
		last = "g()"
	}
	return fmt.Sprintf(`func %[1]s%[2]s%[3]s(site %[1]s.Site, f func() %[4]s) func() %[4]s {
	once, g := &sync.Once{}, sync.%[2]s(f)
	return func() %[4]s {
		%[1]s.OnceDo(site, once, %[5]s)
		%[6]s
	}
}`, zz, name, params, results, first, last)
}

// trySource is a select with one case and a default. Where nobody looks, a select
// of its own does it without allocation; Line has an operation by a goroutine
// outside of control noticed.
const trySource = `type ZZTried[T interface{}] struct {
	V    T
	OK   bool
	Case int
}

func ZZTryRecv[T interface{}](site ZZ.Site, ch <-chan T) (t ZZTried[T]) {
	if ZZ.Watched() {
		if v, ok, taken, recorded := ZZ.TryRecv(site, ch); recorded {
			return ZZTried[T]{v, ok, taken}
		}
		r := ZZ.R(ch)
		t.Case = ZZ.Select(site, 0 == 0, r)
		t.V, t.OK = r.V, r.OK
		return t
	}
	ZZ.Line(site)
	select {
	case t.V, t.OK = <-ch:
	default:
		t.Case = -1
	}
	return t
}

type ZZTrySender[T interface{}] struct{ ch chan<- T }

func ZZTryTo[T interface{}](ch chan<- T) ZZTrySender[T] { return ZZTrySender[T]{ch} }

func (s ZZTrySender[T]) Send(site ZZ.Site, v T) (t ZZTried[T]) {
	if ZZ.Watched() {
		if taken, recorded := ZZ.TrySend(site, s.ch, v); recorded {
			return ZZTried[T]{Case: taken}
		}
		t.Case = ZZ.Select(site, 0 == 0, ZZ.To(s.ch).Case(v))
		return t
	}
	ZZ.Line(site)
	select {
	case s.ch <- v:
	default:
		t.Case = -1
	}
	return t
}`

var finalizers = map[string]string{
	"SetFinalizer": `func ZZSetFinalizer(x, f interface{}) {
	if !ZZ.Finalized(x, f) {
		runtime.SetFinalizer(x, f)
	}
}`,
	"AddCleanup": `func ZZAddCleanup[T, S interface{}](x *T, f func(S), arg S) (c runtime.Cleanup) {
	if !ZZ.Finalized(x, f) {
		c = runtime.AddCleanup(x, f, arg)
	}
	return c
}`,
}

// settleSource is synctest.Wait.
const settleSource = `func ZZSettle(site ZZ.Site) { ZZ.Settle(site, synctest.Wait) }`

// fieldSource reaches an embedded field of a type of package sync, or a pointer
// to one, that the language does not let this package name.
const fieldSource = `func ZZField_TYPE(x interface{}, path []int) *sync.TYPE {
	v := reflect.ValueOf(x)
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	v = v.FieldByIndex(path)
	if v.Kind() == reflect.Pointer {
		return (*sync.TYPE)(v.UnsafePointer())
	}
	return (*sync.TYPE)(v.Addr().UnsafePointer())
}`

// ifaceSource is the generated function for a method called through an
// interface. What is behind it is looked for in a run, or where it is recorded, only.
func ifaceSource(zz, what string) string {
	sh, iface := shapeOf(what), ifaceShapes[what]
	_, method, _ := strings.Cut(what, "_")
	params, args := "", ""
	if sh.params != "" {
		params, args = ", "+sh.params, ", "+sh.args
	}
	var b strings.Builder
	fmt.Fprintf(&b, "func %s%s(site %s.Site, x %s%s) %s {\n", zz, what, zz, sh.recv, params, sh.result)
	fmt.Fprintf(&b, "\tif %s.Watched() {\n\t\tbehind := %s.Behind(x, func(t reflect.Type) (reflect.Method, bool) { return t.MethodByName(%q) })\n", zz, zz, method)
	b.WriteString("\t\tswitch y := behind.(type) {\n")
	for _, f := range iface.behind {
		pointer := "*"
		if f.Receiver == locker {
			pointer = ""
		}
		fmt.Fprintf(&b, "\t\tcase %s%s.%s:\n\t\t\t", pointer, f.Package, f.Receiver)
		if sh.result != "" {
			fmt.Fprintf(&b, "return %s.%s(site, y%s)\n", zz, f.Runtime, args)
			continue
		}
		fmt.Fprintf(&b, "%s.%s(site, y%s)\n\t\t\treturn\n", zz, f.Runtime, args)
	}
	b.WriteString("\t\t}\n\t}\n\t")
	if sh.result != "" {
		b.WriteString("return ")
	}
	fmt.Fprintf(&b, "x.%s(%s)\n}", method, sh.args)
	return b.String()
}

// pullSource is the generated function in place of iter.Pull or iter.Pull2.
func pullSource(zz, name string) string {
	params, values, results := "V interface{}", "v V", "V"
	pass, seq := "v", "Seq[V]"
	if name == "Pull2" {
		params, values, results = "K, V interface{}", "k K, v V", "K, V"
		pass, seq = "k, v", "Seq2[K, V]"
	}
	return fmt.Sprintf(`func %[1]s%[2]s[%[3]s](at %[1]s.Place, seq iter.%[4]s) (func() (%[5]s, bool), func()) {
	c := %[1]s.NewCoroutine()
	next, stop := iter.%[2]s(func(yield func(%[5]s) bool) {
		c.Resumed()
		seq(func(%[6]s) bool {
			more := yield(%[7]s)
			c.Resumed()
			return more
		})
	})
	c.Stops(stop)
	return func() (%[6]s, more bool) {
			%[1]s.Wr(at, c)
			defer c.Left(c.Resume(), &more)
			return next()
		}, func() {
			%[1]s.Wr(at, c)
			if c.Stoppable() {
				more := 0 != 0
				defer c.Left(c.Resume(), &more)
				stop()
			}
		}
}`, zz, name, params, seq, results, values, pass)
}
