package parse

import (
	"fmt"
	"go/ast"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"

	"github.com/vtrace/vtrace/internal/source"
)

// libraryOf loads packages of another module, by their names: which of them are plain, why the
// others are not, and their syntax.
func libraryOf(t *testing.T, sources map[string]string) (map[string]*plainPackage, map[string]string, map[string]*packages.Package) {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		name = filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	var main strings.Builder
	var paths []string
	main.WriteString("package main\n\nimport (\n")
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		write("third/"+name+"/p.go", sources[name])
		fmt.Fprintf(&main, "\t_ %q\n", "example.com/third/"+name)
		paths = append(paths, "example.com/third/"+name)
	}
	main.WriteString(")\n\nfunc main() {}\n")
	write("main.go", main.String())
	write("go.mod", "module example.com/m\n\ngo 1.26\n\nrequire example.com/third v0.0.0\n\nreplace example.com/third => ./third\n")
	write("third/go.mod", "module example.com/third\n\ngo 1.26\n")
	prog, err := source.Load(t.Context(), source.Spec{Dir: dir, Deps: []string{source.NoDeps}})
	require.NoError(t, err)
	loaded, err := prog.Sources(t.Context(), paths)
	require.NoError(t, err)
	order := perhapsPlain(prog, map[string]bool{"example.com/m": true})
	plain, why := followAll(loaded, order)
	chosen, err := plainPackages(t.Context(), prog, map[string]bool{"example.com/m": true})
	require.NoError(t, err)
	require.Len(t, chosen, len(plain))
	byName := map[string]*packages.Package{}
	for _, p := range loaded {
		require.Empty(t, p.Errors, "%s", p.PkgPath)
		byName[strings.TrimPrefix(p.PkgPath, "example.com/third/")] = p
		if !slices.Contains(order, p.PkgPath) {
			why[p.PkgPath] = "imports"
		}
	}
	return plain, why, byName
}

// shared are the variables of the packages of TestPlainWrites, and what they are written by.
const shared = `
type small struct{ v int }
type counter struct { small; n int; l []int; m map[int]int; p *int }
func (c *counter) inc() int { c.n++; return c.n }
func (s *small) up() int { s.v++; return s.v }
type stepper interface { inc() int }

var i int
var one small
var n counter
var cell = &counter{}
var arr [3]int
var list = make([]int, 3)
var table = map[int]int{}
var ptr = new(int)
var ptrs = []*int{new(int)}
var boxed any = new(int)
var words [3]string

func set(p *int) { *p = 1 }
func sets(p ...*int) { *p[0] = 1 }
func setOf[A, B any](p *int, a A, b B) { *p = 1 }
func swap(l []int) { l[0], l[1] = l[1], l[0] }
func keep(c *counter, p *int) { c.p = p }
func same(p *int) *int { return p }
`

// variables are declared where they are named.
var variables = map[string]string{
	"next": "var next func() int = func() int { return 1 }\n", "steps": "var steps stepper = &counter{}\n",
}

// writing are functions that write to a variable of their package, or to memory behind it, or
// let others do it, by the form of statement or expression that does.
var writing = map[ast.Node][]string{
	&ast.Ident{}:          {"func F() { i = 1 }", "func F() { ptr = nil }", "func F() { next = nil }", "func F() { list, table = nil, nil }"},
	&ast.ParenExpr{}:      {"func F() { (i) = 1 }", "func F() { *(ptr) = 1 }"},
	&ast.SelectorExpr{}:   {"func F() { n.n = 1 }", "func F() { cell.n = 1 }", "func F() { n.v = 1 }", "func F() { n.small.v = 1 }", "func F() { *n.p = 1 }", "func F() { f := n.inc; f() }", "func F() { f := (*counter).inc; f(&n) }", "func F() func() int { return n.inc }"},
	&ast.IndexExpr{}:      {"func F() { arr[0] = 1 }", "func F() { list[0] = 1 }", "func F() { table[0] = 1 }", "func F() { n.l[0] = 1 }", "func F() { *ptrs[0] = 1 }", "func F(k int) { words[k] += `x` }"},
	&ast.IndexListExpr{}:  {"func F() { setOf[int, string](&i, 1, ``) }"},
	&ast.StarExpr{}:       {"func F() { *ptr = 1 }", "func F() { *cell = counter{} }", "func F() { p := cell; (*p).n = 1 }"},
	&ast.SliceExpr{}:      {"func F(s []int) { copy(arr[:], s) }", "func F(s []int) { copy(list[1:], s) }", "func F() { s := arr[:]; s[0] = 1 }", "func F() []int { return arr[:] }"},
	&ast.UnaryExpr{}:      {"func F() { p := &i; *p = 1 }", "func F() { p := &n; p.n++ }", "func F() { p := &arr[1]; *p = 1 }", "func F() { p := &n.n; *p = 1 }", "func F() *int { return &i }", "func F() { set(&i) }", "func F[C ~<-chan int](c C) int { return <-c }"},
	&ast.CallExpr{}:       {"func F() int { return n.inc() }", "func F() int { return cell.inc() }", "func F() int { return n.up() }", "func F() { delete(table, 1) }", "func F() { clear(table) }", "func F() { clear(list) }", "func F() { _ = append(list[:1], 2) }", "func F() { _ = append(arr[:0], 2) }", "func F() { swap(list) }", "func F() int { return next() }", "func F() int { return steps.inc() }", "func F() { sort.Ints(list) }", "func F() { slices.Reverse(list) }", "func F() { keep(cell, nil) }", "func F() { *same(ptr) = 1 }", "func F() { println(i) }", "func F(f func(*int)) { f(&i) }", "func F(f func([]int)) { f(list) }", "func F() { sets(&i) }", "func F() { sets(ptrs...) }", "func F() { fmt.Println(i) }", "func F() int { return (*counter).inc(&n) }", "func F() { sort.Slice(list, func(a, b int) bool { return a < b }) }"},
	&ast.CompositeLit{}:   {"func F() { x := []*int{&i}; *x[0] = 1 }", "func F() { x := [1]*int{ptr}; *x[0] = 1 }", "func F() [][]int { return [][]int{list} }", "func F() { for _, p := range []*int{ptr} { *p = 1 } }"},
	&ast.KeyValueExpr{}:   {"func F() { x := struct{ p *int }{p: &i}; *x.p = 1 }", "func F() { x := map[int]*int{1: ptr}; *x[1] = 1 }", "func F() { x := map[*int]int{ptr: 1}; for p := range x { *p = 1 } }"},
	&ast.FuncLit{}:        {"func F() { func() { i = 1 }() }", "func F() { f := func() { n.inc() }; f() }", "func F() func() int { return func() int { i++; return i } }", "func F(g func(func())) { g(func() { i++ }) }", "func F() { p := ptr; func() { *p = 1 }() }", "func F() int { k := 0; f := func() int { k++; return k }; steps = nil; return f() }"},
	&ast.TypeAssertExpr{}: {"func F() { *boxed.(*int) = 1 }", "func F() { p, _ := boxed.(*int); *p = 1 }", "func F() int { return boxed.(stepper).inc() }", "func F(v any) { v.([]int)[0] = 1 }"},
	&ast.BinaryExpr{}:     {"func F() int { return n.inc() + 1 }", "func F() bool { return i > 0 && n.inc() > 0 }"},
	&ast.BasicLit{}:       {"func F() { i = 7 }"},
	&ast.Ellipsis{}:       {"func F(l ...int) { list = l }", "func F() { func(p ...*int) { *p[0] = 1 }(&i) }", "func F(l ...int) { copy(list, l) }"},
	&ast.ArrayType{}:      {"func F() { (*[3]int)(list)[0] = 1 }", "func F() { p := (*[3]int)(list); p[1]++ }", "func F() []int { return []int(list) }"},
	&ast.StructType{}:     {"func F() { (*struct{ v int })(&one).v = 1 }"},
	&ast.FuncType{}:       {"func F() { var f func(p *int) = set; f(&i) }", "func F() { var f func(); f = func() { i++ }; f() }"},
	&ast.InterfaceType{}:  {"func F() { var x interface{ inc() int } = &n; x.inc() }", "func F() interface{} { return ptr }", "func F() interface{} { return boxed }", "func F() interface{ inc() int } { return steps }"},
	&ast.MapType{}:        {"func F() { map[int]int(table)[0] = 1 }", "func F() map[int]int { return table }"},
	&ast.ChanType{}:       {"func F(c chan int) { close(c) }", "func F(c chan int) int { return len(c) }", "func F() { _ = make(chan int) }"},
	&ast.AssignStmt{}:     {"func F() { i += 2 }", "func F() { i, arr[0] = arr[0], i }", "func F() { x := ptr; *x = 1 }", "func F() { a, b := ptr, 2; *a = b }", "func F() { var ok bool; i, ok = table[0]; _ = ok }", "func F() { table[1] |= 2 }", "func F(p *int) { n.p = p }", "func F(c *counter) { *c = n }"},
	&ast.BlockStmt{}:      {"func F() { { i = 1 } }"},
	&ast.BranchStmt{}:     {"func F() {\nL:\n\tif i == 0 { i = 1; goto L }\n}", "func F() { for { i++; break } }"},
	&ast.CaseClause{}:     {"func F(k int) { switch k { case 1: i = 1 } }", "func F(k int) { switch { case n.inc() > k: } }"},
	&ast.CommClause{}:     {"func F(c chan int) { select { case i = <-c: default: } }"},
	&ast.DeclStmt{}:       {"func F() { var p = &i; *p = 1 }", "func F() { var p *counter = cell; p.n++ }"},
	&ast.DeferStmt{}:      {"func F() { defer n.inc() }", "func F() { defer set(&i) }", "func F() { defer func() { i = 1 }() }", "func F() { defer delete(table, 1) }"},
	&ast.EmptyStmt{}:      {"func F() { ; i = 1 }"},
	&ast.ExprStmt{}:       {"func F() { n.inc() }"},
	&ast.ForStmt{}:        {"func F() { for i = 0; i < 3; { } }", "func F() { for k := 0; k < 3; k, i = k+1, k { } }", "func F() { for n.inc() < 3 { } }"},
	&ast.GoStmt{}:         {"func F() { go func() { i = 1 }() }", "func F(f func()) { go f() }"},
	&ast.IfStmt{}:         {"func F() { if i = 1; i > 0 { } }", "func F(k int) { if k > 1 { } else { i = 1 } }"},
	&ast.IncDecStmt{}:     {"func F() { i++ }", "func F() { n.n-- }", "func F() { table[1]++ }", "func F() { *ptr++ }", "func F() { p := &n; p.n++ }", "func F() { cell.l[0]++ }"},
	&ast.LabeledStmt{}:    {"func F() {\nL:\n\tfor { i++; break L }\n}"},
	&ast.RangeStmt{}:      {"func F() { for i = range 3 { } }", "func F(s []int) { for _, i = range s { } }", "func F(s []int) { for arr[0], table[1] = range s { } }", "func F() { for _, p := range ptrs { *p = 1 } }", "func F(seq func(func(int) bool)) { for i = range seq { } }", "func F(seq func(func(int) bool)) { for k := range seq { list[k] = k } }", "func F(c chan int) { for range c { } }"},
	&ast.ReturnStmt{}:     {"func F() *int { return ptr }", "func F() (p *counter) { p = cell; return }", "func F() []*int { return ptrs }", "func F() counter { return n }", "func F() (int, []int) { return 1, list }"},
	&ast.SelectStmt{}:     {"func F() { select {} }"},
	&ast.SendStmt{}:       {"func F(c chan int) { c <- i }"},
	&ast.SwitchStmt{}:     {"func F() { switch i = 1; i { } }", "func F() { switch n.inc() { } }"},
	&ast.TypeSwitchStmt{}: {"func F() { switch x := boxed.(type) { case *int: *x = 1 } }", "func F() { switch boxed = nil; boxed.(type) { } }"},
}

// TestPlainWrites: no package is plain that writes to its variables, by any form of statement
// or expression.
func TestPlainWrites(t *testing.T) {
	forms := map[string]bool{}
	sources := map[string]string{}
	of := map[string]ast.Node{}
	for node, list := range writing {
		forms[fmt.Sprintf("%T", node)] = true
		for k, text := range list {
			name := fmt.Sprintf("%s%d", strings.ToLower(reflect.TypeOf(node).Elem().Name()), k)
			imports, more := "", ""
			for _, path := range []string{"fmt", "slices", "sort"} {
				if strings.Contains(text, path+".") {
					imports += fmt.Sprintf("import %q\n", path)
				}
			}
			for word, decl := range variables {
				if strings.Contains(text, word) {
					more += decl
				}
			}
			sources[name] = "package p\n" + imports + shared + more + text + "\n"
			of[name] = node
		}
	}
	// As in complete, without what has no value and no effect of its own.
	for _, n := range nodes {
		switch n.(type) {
		case *ast.FuncDecl, *ast.GenDecl, *ast.TypeSpec, *ast.ValueSpec:
			continue
		}
		require.True(t, forms[fmt.Sprintf("%T", n)], "nothing is written by a %T", n)
	}
	sources["nothing"] = "package p\n" + shared
	plain, why, byName := libraryOf(t, sources)
	require.NotNil(t, plain["example.com/third/nothing"], why["example.com/third/nothing"])
	for name, node := range of {
		require.Nil(t, plain["example.com/third/"+name], "%s is plain", sources[name])
		d := byName[name].Syntax[0].Decls
		has := false
		ast.Inspect(d[len(d)-1], func(n ast.Node) bool {
			has = has || reflect.TypeOf(n) == reflect.TypeOf(node)
			return true
		})
		require.True(t, has, "%s has no %T", sources[name], node)
	}
}

// TestPlain: which packages are plain, and which of the memory that they are given their
// functions write.
func TestPlain(t *testing.T) {
	const stack = `package p
import "fmt"
type Stack struct { list []int; n int }
func New() *Stack { return &Stack{} }
func Of(l ...int) *Stack { s := &Stack{}; for _, v := range l { s.Push(v) }; return s }
func (s *Stack) Push(v int) { s.list = append(s.list, v); s.n++ }
func (s *Stack) Len() int { n := len(s.list); n++; n = n - 1; return n }
func (s *Stack) String() string { return fmt.Sprint(s.Len(), s.list) }
func (s *Stack) Grow() { s.grow() }
func (s *Stack) grow() { s.list[0]++ }
func (s *Stack) Each(f func(int)) { for _, v := range s.list { f(v) } }
func (s *Stack) Sort() { sorted(s.list) }
func (s *Stack) Self() *Stack { return s }
func (s *Stack) Copy() *Stack { return &Stack{append([]int(nil), s.list...), s.n} }
func (s *Stack) Values() []int { return append([]int{}, s.list...) }
func (s *Stack) AddAll(o *Stack) { s.list = append(s.list, o.list...) }
`
	const list = `package p
import "errors"
var ErrEmpty = errors.New("empty")
var errOther = errors.New("other")
type node[T any] struct { v T; next, prev *node[T] }
type List[T any] struct { head, tail *node[T]; n int }
func (l *List[T]) insert(n, after *node[T]) *node[T] {
	if after != nil { n.next, after.next = after.next, n } else { n.next, l.head = l.head, n }
	n.prev = after
	return n
}
func (l *List[T]) Push(v T) { n := &node[T]{v: v}; l.insert(n, l.tail); l.tail = n; l.n++ }
func (l *List[T]) Front() (v T, err error) { if l.head == nil { return v, ErrEmpty }; return l.head.v, nil }
func (l *List[T]) Check() error { if l.n < 0 { return errOther }; return nil }
func (l *List[T]) Len() (n int) { for x := l.head; x != nil; x = x.next { n++ }; return n }
func (l *List[T]) Do(f func(T) bool) { for x := l.head; x != nil && f(x.v); x = x.next {} }
func (l *List[T]) Clear() { *l = List[T]{} }
`
	cases := map[string]struct {
		src  string
		want string // the functions, each with the parameters whose memory it writes; or why
	}{
		"container": {stack + "func sorted(l []int) { l[0], l[1] = l[1], l[0] }",
			"AddAll(0) Copy() Each() Grow(0) Len() New() Of() Push(0) Self() Sort(0) String() Values()"},
		"library": {stack + "func sorted(l []int) { sort(l) }\nfunc sort(l []int) { if len(l) > 0 { copy(l, l[1:]) } }",
			"AddAll(0) Copy() Each() Grow(0) Len() New() Of() Push(0) Self() Sort(0) String() Values()"},
		"linked": {list, "Check() Clear(0) Do() Front() Len() Push(0)"},
		"given": {"package p\nimport (\"sort\"; \"slices\")\nfunc F(l []int) { sort.Ints(l) }\nfunc G(l []int) int { return len(l) + slices.Max([]int{1}) }\nfunc H(l []int, f func(a, b int) bool) { sort.Slice(l, func(i, k int) bool { return f(l[i], l[k]) }) }",
			"F(0) G() H(0)"},
		"builtins": {"package p\nfunc A(l []int) { _ = append(l, 1) }\nfunc B(l []int) { copy(l, l[1:]) }\nfunc C(m map[int]int) { clear(m) }\nfunc D(m map[int]int) { delete(m, 1) }\n" +
			"func E(l []int) int { return len(l) + cap(l) + max(1, 2) }\nfunc F(l []int) []int { return make([]int, min(len(l), 3)) }\nfunc G(m map[int]int, k int) { m[k]++ }", "A(0) B(0) C(0) D(0) E() F() G(0)"},
		"pointers": {"package p\nfunc F(p *int) { *p = 1 }\nfunc G(p *int) int { x := *p; x++; return x }\nfunc H(p, q *int) { *p = *q }", "F(0) G() H(0)"},
		"ranges":   {"package p\ntype T struct{ n int }\nfunc (t *T) F() { for t.n = range 2 {} }\nfunc (t *T) G(l []int) { for k := range l { l[k] = t.n } }", "F(0) G(1)"},
		"defers":   {"package p\ntype T struct{ n int }\nfunc (t *T) up() { t.n++ }\nfunc (t *T) F() { defer t.up() }\nfunc (t *T) G() (err any) { defer func() { err = recover() }(); return nil }", "F(0) G()"},
		"literals": {"package p\ntype T struct{ n int }\nfunc (t *T) F() { f := func() { t.n++ }; f() }\nfunc (t *T) G() (k int) { func() { k = t.n }(); return k }", "F(0) G()"},
		"numbers":  {"package p\nimport (\"math\"; \"strings\")\nfunc F(x float64) float64 { return math.Sqrt(x) }\nfunc G(s string) (out []string) { var b strings.Builder; b.WriteString(s); return strings.Split(b.String(), \",\") }", "F() G()"},
		"tables": {"package p\nimport \"unicode\"\nvar table = [...]string{\"a\"}\nvar names = map[string][]int{\"a\": {1}}\nvar l = []struct{ a, b int }{{1, 2}}\nvar root = &struct{ n int }{1}\nvar zero int\n" +
			"func F(k int) string { return table[k] }\nfunc G(s string) (n int) { for _, v := range names[s] { n += v }; return n + len(names) + zero }\nfunc H() (n int) { for _, x := range l { n += x.a }; return n + root.n }\n" +
			"func I(r rune) bool { return unicode.Is(unicode.Letter, r) }\nfunc J() string { return string(append([]byte{}, table[0]...)) }\nfunc sum(l []int) int { return l[0] }\nfunc K() int { return sum(names[\"a\"]) }", "F() G() H() I() J() K()"},
		"initialised": {"package p\nvar table [3]int\nfunc init() { for k := range table { table[k] = k } }\nfunc F(k int) int { return table[k] }", "F()"},
		"local":       {"package p\nvar n int\nfunc F() int { var n int; n++; return n }", "F()"},
		"two":         {"package p\ntype A struct{ b *B }\ntype B struct{ n int }\nfunc (a *A) F() { if a.b == nil { a.b = &B{} }; a.b.n++ }\nfunc (b *B) G() int { return b.n }", "F(0) G()"},
		"over":        {"package p\nimport two \"example.com/third/two\"\nfunc F(b *two.B) int { return b.G() }\nfunc G() int { var b two.B; return b.G() }", "has a function that is given memory of which it is not known what it is"},
		"above":       {"package p\nimport two \"example.com/third/two\"\ntype C struct{ b two.B; a *two.A }\nfunc (c *C) F() int { return c.b.G() }\nfunc (c *C) H() { c.a.F() }", "F() H(0)"},
		"sequence":    {"package p\nimport \"iter\"\nfunc F(s iter.Seq[int]) (n int) { for v := range s { n += v }; return n }", "F()"},

		"unused":       {"package p\ntype T struct{ c chan int }", ""},
		"goroutines":   {"package p\nfunc F() { go func() {}() }", "has what orders goroutines"},
		"receives":     {"package p\nfunc F[C ~<-chan int](c C) int { return <-c }", "receives"},
		"waits":        {"package p\nimport \"time\"\nfunc F() { time.Sleep(1) }", "imports"},
		"locks":        {"package p\nimport \"sync\"\nvar mu sync.Mutex\nfunc F() { mu.Lock(); mu.Unlock() }", "imports"},
		"prints":       {"package p\nimport \"fmt\"\nfunc F() { fmt.Println() }", "calls fmt.Println"},
		"writes out":   {"package p\nimport \"fmt\"\nfunc F(w interface{ Write([]byte) (int, error) }) { fmt.Fprintln(w) }", "calls fmt.Fprintln"},
		"no body":      {"package p\nimport _ \"unsafe\"\n//go:linkname F runtime.gosched\nfunc F() {}", "imports"},
		"memory":       {"package p\nimport \"unsafe\"\nfunc F(p *int) { _ = unsafe.Pointer(p) }", "converts addresses"},
		"random":       {"package p\nimport \"math/rand\"\nfunc F() int { return rand.Int() }", "imports"},
		"part":         {"package p\nvar x struct{ l []int }\nfunc F() { x.l[0] = 1 }", "writes to a variable of the package"},
		"address":      {"package p\nvar n int\nfunc F() *int { return &n }", "gives away a variable of the package"},
		"set":          {"package p\nvar N int\nfunc F() int { return N }", "uses a variable that others may set"},
		"shows":        {"package p\nvar l = []int{1}\nvar L = l\nfunc F() int { return l[0] }", "has a variable by which others may write to memory of the package"},
		"another":      {"package p\nimport set \"example.com/third/set\"\nfunc F() int { return set.N }", "uses a variable of another package"},
		"kept":         {"package p\ntype H struct{ less func(a, b int) bool; l []int }\nfunc New(less func(a, b int) bool) *H { return &H{less: less} }\nfunc (h *H) Less() bool { return h.less(h.l[0], h.l[1]) }", "calls a function that it has kept"},
		"counts":       {"package p\ntype T struct{ f func() int }\nfunc New() *T { n := 0; return &T{func() int { n++; return n }} }", "keeps a function"},
		"kept below":   {"package p\nvar shared = []int{1}\ntype T struct{ l []int }\nfunc set(t *T, l []int) { t.l = l }\nfunc New() *T { t := &T{}; set(t, shared); return t }", "gives away a variable of the package"},
		"counts below": {"package p\ntype T struct{ f func() int }\nfunc set(t *T, f func() int) { t.f = f }\nfunc New() *T { n := 0; t := &T{}; set(t, func() int { n++; return n }); return t }", "keeps a function"},
		"given list":   {"package p\ntype T struct{ l []int }\nfunc New(l ...int) *T { return &T{l} }", "returns memory that it has been given"},
		"inside":       {"package p\ntype T struct{ l []int }\nfunc (t *T) Values() []int { return t.l }", "returns memory that it has been given"},
		"hidden":       {"package p\ntype T struct{ l []int }\nfunc (t *T) Values() any { return t.l }", "puts memory into an interface"},
		"neighbour":    {"package p\ntype T struct{ next *T; n int }\nfunc (t *T) Next() *T { return t.next }", "returns memory that it has been given"},
		"links":        {"package p\ntype T struct{ next *T; n int }\nfunc (t *T) Link(o *T) { t.next = o }", "links two values that it is given"},
		"links below":  {"package p\ntype T struct{ next *T; n int }\nfunc link(a, b *T) { a.next = b }\nfunc (t *T) Link(o *T) { link(t, o) }", "links two values that it is given"},
		"links new":    {"package p\ntype T struct{ next *T; n int }\nfunc (t *T) Link(o *T) { n := &T{}; t.next = n; n.next = o }", "links two values that it is given"},
		"shared":       {"package p\ntype T struct{ l []int }\nfunc (t *T) Sub() *T { return &T{t.l[1:]} }", "returns memory that it has been given"},
		"open":         {"package p\ntype T struct{ N int }\nfunc (t *T) Get() int { return t.N }", "has a function that is given memory of which it is not known what it is"},
		"map":          {"package p\ntype T map[int]int\nfunc (t T) Get() int { return t[1] }", "Get()"},
		"copied":       {"package p\ntype T struct{ m map[int]int }\nfunc (t T) Get() int { return t.m[1] }", "has a function that is given memory of which it is not known what it is"},
		"deep":         {"package p\nfunc F(l [][]int) int { return l[0][0] }", "has a function that is given memory of which it is not known what it is"},
		"all":          {"package p\nfunc All(l []int) func(func(int) bool) { return func(yield func(int) bool) { for _, v := range l { if !yield(v) { return } } } }", "keeps a function"},
		"asserts":      {"package p\nfunc F(v any) int { return v.([]int)[0] }", "takes memory out of an interface"},
	}
	sources := map[string]string{}
	for name, c := range cases {
		sources[strings.ReplaceAll(name, " ", "")] = c.src
	}
	plain, why, _ := libraryOf(t, sources)
	for name, c := range cases {
		path := "example.com/third/" + strings.ReplaceAll(name, " ", "")
		got := why[path]
		if p := plain[path]; p != nil {
			var list []string
			for f, what := range p.functions {
				var changed []string
				for i := range what.linked {
					if what.changes(i) {
						changed = append(changed, fmt.Sprint(i))
					}
				}
				list = append(list, f[strings.LastIndexByte(f, '.')+1:]+"("+strings.Join(changed, ",")+")")
			}
			slices.Sort(list)
			got = strings.Join(list, " ")
		}
		require.Equal(t, c.want, got, name)
	}
}
