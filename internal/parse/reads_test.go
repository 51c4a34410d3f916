package parse

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What is told of the reads of statements: what goroutines may share, if it is evaluated whatever the statement does,
// nothing in it may change it before, and reading it first panics nowhere else.
func TestStatementReads(t *testing.T) {
	const text = `package p

import "os"

type part struct{ n int }
type T struct {
	n, m  int
	ok    bool
	next  *T
	part
	down  *part
	list  []int
	index map[string]int
	name  string
	f     float64
	any   any
	c     chan int
}

var x, y int
var global T
var err error

func f() int

func _(t *T, value T, local int, c chan int) {
	captured := 0
	go func() { captured++ }() // reads nothing
	if x == 0 {} // reads x
	if x == 0 && y == 0 {} // reads x
	if x == 0 || f() == y {} // reads x
	if x+y == y {} // reads x y
	if x == f() {} // reads nothing: f may change it
	if x == <-c {} // reads nothing
	if a := x; a == y {} // reads nothing: of what stands in front
	if f := x == y && y > 0; f {} // reads nothing
	if t.next != nil && t.next.n > 0 {} // reads t.next
	if t.next == nil {} // reads t.next
	if !t.ok {} // reads t.ok
	for x < y {} // reads x y
	for local < 3 {} // reads nothing
	for ; captured < 3; captured++ {} // reads captured
	switch t.n { case x: } // reads t.n
	switch { case x == 1: } // reads nothing
	switch a := x; a {} // reads nothing
	local = x // reads x
	local, captured = t.m, y // reads t.m y
	local += x // reads x
	x += local // reads x
	x++ // reads x
	global.n-- // reads global.n
	global.part.n = global.part.n + 1 // reads global.part.n
	t.down.n = t.down.n // reads t.down.n
	(*t).n = (*t).m // reads (*t).m
	a := len(t.list) // reads len(t.list)
	b := cap(t.list) + len(t.name) // reads cap(t.list) len(t.name)
	d := len(t.index) // reads nothing: a map has guards of its own
	e := len(t.c) // reads nothing
	local = t.list[x] // reads x
	local = t.list[t.n] // reads nothing: the index may be out of range, and t nil
	local = global.list[global.n] // reads global.n
	local = t.index["a"] // reads nothing
	local = x / local // reads x
	local = t.n / local // reads nothing: what panics first depends on that
	local = t.n / 2 // reads t.n
	local = t.n << local // reads nothing
	local /= x // reads x
	t.n /= local // reads nothing
	g := t.any == err // reads err: t may be nil, and what is compared of types that cannot be
	h := err == nil // reads err
	i, j := global.any == t, err // reads global.any err
	k := int64(x) + int64(local) // reads x
	l := string(rune(x)) // reads x
	m := []byte(t.name) // reads nothing
	n := t.f // reads nothing: its text may be long
	o := &t.n // reads nothing
	p := t.list // reads t.list
	q := func() int { return x } // reads nothing
	r := [...]int{x} // reads nothing
	s, u, v := x, y, t.n // reads x y t.n
	w, z, aa, bb := x, y, t.n, t.m // reads x y t.n
	cc := x + x // reads x
	dd := value.n + local // reads nothing
	ee := t.
		n // reads nothing: a panic would be one of another line
	var ff = x // reads x
	var ( gg = x; hh = y ) // reads nothing
	ii := x + t.
		n // reads x
	jj := os.Args // reads nothing: the program has it from a library
	t.list[t.n] = x // reads x
	kk := t.next.next.next.next.next.next.next.next.n // reads nothing: too long
	_, _, _, _, _, _, _, _, _, _, _, _, _, _ = a, b, d, e, g, h, i, j, k, l, m, n, o, p
	_, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _ = q, r, s, u, v, w, z, aa, bb, cc, dd, ee, ff, gg, hh, ii, jj, kk
	x := x // reads x
	_ = x
}

func g() (int, bool) { return x, global.ok || f() == 0 } // reads nothing: f may change x before it is read
func h(c chan int) (int, bool) { return x, global.ok } // reads x global.ok
`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", text, 0)
	require.NoError(t, err)
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{}, Selections: map[*ast.SelectorExpr]*types.Selection{}, Instances: map[*ast.Ident]types.Instance{}}
	conf := types.Config{Importer: importer.Default(), Error: func(error) {}}
	pkg, _ := conf.Check("p", fset, []*ast.File{file}, info) // functions without a body
	own := map[string]bool{"p": true}
	r := &rewriter{pkgRewriter: &pkgRewriter{instrumenter: &instrumenter{own: own}}, editor: &editor{file: fset.File(file.FileStart)}, info: info, fileFacts: &fileFacts{memory: findMemory(pkg, info, own, nil, nil, nil, file)}}

	got := map[int]string{} // by line
	note := func(s ast.Stmt, n ast.Node) {
		line := fset.Position(s.Pos()).Line
		for _, e := range r.statementReads(n) {
			got[line] = strings.TrimSpace(got[line] + " " + types.ExprString(e))
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt:
			note(n, n.Cond)
			return false
		case *ast.IfStmt, *ast.SwitchStmt:
			note(n.(ast.Stmt), n)
			return false
		case *ast.FuncLit:
			return false
		case ast.Stmt:
			note(n, n)
		}
		return true
	})
	for i, line := range strings.Split(text, "\n") {
		_, want, ok := strings.Cut(line, "// reads ")
		if !ok {
			continue
		}
		if want, _, _ = strings.Cut(want, ":"); want == "nothing" {
			want = ""
		}
		number := i + 1
		if strings.HasPrefix(line, "\t\t") {
			number-- // the statement begins in the line in front
		}
		require.Equal(t, want, got[number], "line %d:%s", number, line)
	}
}
