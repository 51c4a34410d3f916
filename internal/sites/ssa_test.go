package sites

import (
	"flag"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

func loadSyntax(t testing.TB, tests bool, patterns ...string) []*packages.Package {
	t.Helper()
	pkgs, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax, Fset: token.NewFileSet(), Tests: tests}, patterns...)
	require.NoError(t, err)
	for _, p := range pkgs {
		require.Empty(t, p.Errors, p.ID)
	}
	return pkgs
}

func number(pkgs []*packages.Package, entry *types.Func) *Index {
	var in []Package
	for _, p := range pkgs {
		in = append(in, Package{Path: p.PkgPath, Files: p.Syntax, Types: p.Types, Info: p.TypesInfo})
	}
	return Number(pkgs[0].Fset, func(s string) string { return filepath.Base(s) }, in, entry)
}

var extra = flag.String("packages", "", "more packages for TestSSA, separated by commas")

// TestSSA compares the index with an independent reading of the same packages:
// every operation of their SSA form must be found by its kind and position.
func TestSSA(t *testing.T) {
	patterns := []string{
		"./testdata/forms.go", "golang.org/x/sync/errgroup", "golang.org/x/sync/semaphore",
		"golang.org/x/tools/go/packages", "golang.org/x/tools/go/ssa", "github.com/stretchr/testify/assert",
		"net/http", "database/sql", "context", "os/exec", "io", "internal/singleflight", "testing",
	}
	if testing.Short() {
		patterns = patterns[:4]
	}
	if *extra != "" {
		patterns = append(patterns, strings.Split(*extra, ",")...)
	}
	counts := map[Kind]int{}
	for _, pattern := range patterns {
		pkgs := loadSyntax(t, false, pattern)
		if len(pkgs) == 0 || pkgs[0].Types == nil {
			continue
		}
		_, list := ssautil.Packages(pkgs, ssa.InstantiateGenerics|ssa.GlobalDebug)
		x := number(pkgs, nil)
		own := map[*ssa.Package]bool{}
		for _, p := range list {
			p.Build()
			own[p] = true
		}
		for fn := range ssautil.AllFunctions(list[0].Prog) {
			if !own[fn.Pkg] && (fn.Origin() == nil || !own[fn.Origin().Pkg]) || fn.Synthetic != "" && fn.Syntax() == nil && fn.Name() != "init" {
				continue
			}
			for _, b := range fn.Blocks {
				for _, in := range b.Instrs {
					checkInstr(t, x, pkgs[0].Fset, in, counts)
				}
			}
		}
	}
	var out []string
	total := 0
	for k, n := range counts {
		out = append(out, fmt.Sprintf("%v %d", k, n))
		total += n
	}
	sort.Strings(out)
	t.Logf("%d operations: %s", total, strings.Join(out, ", "))
	if !testing.Short() {
		for k := Send; k <= Sleep; k++ {
			if k != Start {
				require.NotZero(t, counts[k], k)
			}
		}
	}
}

// throughValue are calls that the SSA form knows to be those of an operation
// although the program calls a function value: the operation's site is where
// the value was made.
var throughValue = map[string]bool{"forms.go:88:3": true}

func checkInstr(t *testing.T, x *Index, fset *token.FileSet, in ssa.Instruction, counts map[Kind]int) {
	pos := in.Pos()
	want := func(kind Kind, pos token.Pos) {
		if _, ok := x.At(kind, pos); !ok && !throughValue[fset.Position(pos).String()[strings.LastIndex(fset.Position(pos).String(), "/")+1:]] {
			t.Errorf("%v: %v: %v not found (%v)", fset.Position(pos), kind, in, in.Parent())
		}
		counts[kind]++
	}
	switch in := in.(type) {
	case *ssa.Send:
		want(Send, pos)
	case *ssa.UnOp:
		if in.Op == token.ARROW {
			want(Recv, pos)
			if s, _ := x.At(Recv, pos); s.Kind == Range {
				counts[Range]++
			}
		}
	case *ssa.Select:
		want(Select, pos)
		for i, st := range in.States {
			s, n, ok := x.Case(st.Pos)
			if !ok || n != i || s.Pos != pos {
				t.Errorf("%v: case %d not found", fset.Position(st.Pos), i)
			}
		}
	case *ssa.Panic:
		if pos.IsValid() {
			want(Panic, pos)
		}
	case *ssa.MakeClosure:
		if f := in.Fn.(*ssa.Function); strings.HasPrefix(f.Synthetic, "bound method wrapper") {
			if kind := KindOf(f.Object().(*types.Func)); kind != Invalid {
				want(kind, pos)
			}
		}
	case *ssa.Go:
		want(Go, pos)
		call(in.Call, pos, want)
	case *ssa.Defer:
		call(in.Call, pos, want)
	case *ssa.Call:
		call(in.Call, pos, want)
	}
}

func call(c ssa.CallCommon, pos token.Pos, want func(Kind, token.Pos)) {
	if b, ok := c.Value.(*ssa.Builtin); ok {
		switch b.Name() {
		case "close":
			want(Close, pos)
		case "panic":
			want(Panic, pos)
		}
		return
	}
	f := c.Method
	if callee := c.StaticCallee(); callee != nil {
		f, _ = callee.Object().(*types.Func)
		if callee.Synthetic != "" && strings.HasPrefix(callee.Synthetic, "bound") {
			return // the closure was checked
		}
	}
	if f == nil {
		return
	}
	if kind := KindOf(f); kind != Invalid {
		want(kind, pos)
	}
}

func TestForms(t *testing.T) {
	pkgs := loadSyntax(t, false, "./testdata/forms.go")
	p := pkgs[0]
	main := p.Types.Scope().Lookup("Main").(*types.Func)
	x := number(pkgs, main)
	var got []string
	for i, s := range x.Sites() {
		require.Equal(t, ID(i+1), s.ID)
		require.Equal(t, s, x.Site(s.ID))
		require.NotEqual(t, Invalid, s.Kind)
		got = append(got, fmt.Sprintf("%d:%d %v %s | %s", s.Line, s.Col, s.Kind, strings.TrimPrefix(s.Key, p.PkgPath), s.Text))
	}
	golden(t, "testdata/forms.golden", strings.Join(got, "\n")+"\n")
	require.Equal(t, End, x.End().Kind)

	// Keys and positions are unique; the same input gives the same index.
	keys := map[string]bool{}
	for _, s := range x.Sites() {
		require.False(t, keys[s.Key], s.Key)
		keys[s.Key] = true
		at, ok := x.At(s.Kind, s.Pos)
		require.True(t, ok)
		require.Equal(t, s, at)
	}
	require.Equal(t, x.Sites(), number(pkgs, main).Sites())
}

// TestStmt asks for the statement of every node and compares with a
// description in terms of syntax.
func TestStmt(t *testing.T) {
	pkgs := loadSyntax(t, false, "./testdata/forms.go")
	p := pkgs[0]
	x := number(pkgs, nil)
	var got []string
	for _, f := range p.Syntax {
		ast.Inspect(f, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			pos := p.Fset.Position(id.Pos())
			if s, ok := x.Stmt(id.Pos()); ok {
				got = append(got, fmt.Sprintf("%d:%d %s: %s (%d:%d)", pos.Line, pos.Column, id.Name, strings.TrimPrefix(s.Key, p.PkgPath), s.Line, s.Col))
			} else {
				got = append(got, fmt.Sprintf("%d:%d %s: -", pos.Line, pos.Column, id.Name))
			}
			return true
		})
	}
	golden(t, "testdata/stmt.golden", strings.Join(got, "\n")+"\n")
	_, ok := x.Stmt(token.NoPos)
	require.False(t, ok)
}

func TestKindWords(t *testing.T) {
	seen := map[string]bool{}
	for k := Invalid; k <= Store; k++ {
		require.NotEmpty(t, k.String())
		require.False(t, seen[k.String()], k.String())
		seen[k.String()] = true
	}
	require.Equal(t, "invalid", Kind(200).String())
}

// TestPerIteration: the copy of a captured loop variable from one iteration to
// the next is in no statement, as Index.Stmt says.
func TestPerIteration(t *testing.T) {
	pkgs := loadSyntax(t, false, "./testdata/periteration.go")
	prog, list := ssautil.Packages(pkgs, ssa.BuilderMode(0))
	prog.Build()
	x := number(pkgs, nil)
	fn := list[0].Func("Loop")
	copies := 0
	for _, b := range fn.Blocks[1:] {
		for _, in := range b.Instrs {
			switch in := in.(type) {
			case *ssa.Alloc:
				header, ok := x.Stmt(in.Pos())
				require.True(t, ok)
				require.Equal(t, 5, header.Line)
			case *ssa.Store:
				if load, ok := in.Val.(*ssa.UnOp); ok {
					require.False(t, in.Pos().IsValid())
					require.False(t, load.Pos().IsValid())
					copies++
				}
			case *ssa.BinOp:
				s, ok := x.Stmt(in.Pos()) // the condition, or the post statement
				require.Equal(t, in.Op == token.LSS, ok, s.Key)
			}
		}
	}
	require.Equal(t, 1, copies)
}
