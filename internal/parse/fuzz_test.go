package parse

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"

	"github.com/vtrace/vtrace/internal/source"
)

// FuzzInstrument: what type-checks still does so when instrumented.
func FuzzInstrument(f *testing.F) {
	seeds, err := filepath.Glob("testdata/conform/*/*.go")
	require.NoError(f, err)
	for _, name := range seeds {
		data, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(string(data))
	}
	for _, text := range []string{
		"package p\nfunc f(c chan int) { go func(a, b int) {}(<-c, 1<<uint(<-c)); L: for range c { goto L } }",
		"package p\nimport \"sync\"\ntype t struct{ *sync.RWMutex }\nfunc (x t) f() (ok bool) { defer x.RLocker().Unlock(); go x.Lock(); return x.TryLock() }",
		"package p\nvar a, b = <-c, <-c\nvar c = make(chan int)\nfunc init() { select { case a = <-c: case c <- b: default: } }",
		"package p\nfunc f[C ~chan T, T any](c C) (v T, ok bool) { select { case v, ok = <-c: return; case c <- v: panic(v) } }",
		"package p; func f() { if x := 1; x > 2 {} else if y := x; y > 3 {} else if x < y {} else {} }",
		"package p\nfunc f[M ~map[K]V, K comparable, V any](m M) (k K, v V) { L: for k, v = range m { for range m { continue L }; goto L }; return }",
		"package p\nimport (\"math/rand\"; r \"math/rand/v2\"; \"maps\"; c \"crypto/rand\")\nvar a = rand.Intn(1)\nvar b = map[any]func(){c.Reader: nil, nil: nil, &a: nil}\nfunc f() { go rand.Shuffle(a, nil); defer r.Perm(r.N[int](2)); for range maps.Keys[map[any]func()](b) { b[&a], b[1] = nil, nil }; c.Reader = nil }",
		"package p\nimport (\"sync\"; . \"runtime\"; \"hash/maphash\")\ntype t struct{ *sync.Pool; sync.Map; h maphash.Hash }\nfunc f(x t) { x.Put(x.Get()); g := x.Range; g(nil); _ = x.h.Sum64; _ = NumGoroutine() }",
		"package p\nfunc f(m map[string]int) { for k := range m { delete(m, k) }; for m[\"a\"], m[\"b\"] = range map[int]int{} { }; for _, v := range m { defer func() { _ = v }() } }",
		"package p\nimport . \"crypto/rand\"\nimport \"math/big\"\nvar r = Reader\nfunc f() { Int(Reader, big.NewInt(1)); r = (Reader); Reader = r; _, _ = &Reader, Reader.Read }",
		"package p\nimport . \"time\"\nfunc f() { s := Sleep; s(1); go Sleep(2); defer AfterFunc(1, nil) }",
	} {
		f.Add(text)
	}
	c := newChecker(f)
	f.Fuzz(func(t *testing.T, src string) {
		if !c.instrument(t, src) {
			t.Skip()
		}
	})
}

// checker type-checks sources, instruments them, and type-checks the result.
type checker struct {
	fset *token.FileSet
	std  types.Importer
	orc  *types.Package
}

func newChecker(t testing.TB) *checker {
	c := &checker{}
	c.fset, c.std = standardLibrary()
	o, err := newOverlay(Options{RuntimePath: DefaultRuntimePath})
	require.NoError(t, err)
	c.orc = runtimeTypes(t, c.std, o)
	for _, path := range []string{"context", "errors", "log", "sync/atomic", "flag", "strings", "math/rand", "math/rand/v2", "maps", "crypto/rand", "hash/maphash"} {
		_, err := c.std.Import(path) // not on the time of the first input
		require.NoError(t, err)
	}
	return c
}

// instrument instruments a source in every way, in a new and an old language version,
// and reports whether it is valid in one of them.
func (c *checker) instrument(t *testing.T, src string) (is bool) {
	t.Helper()
	for _, version := range []string{"go1.26", "go1.18"} {
		is = c.instrumentAt(t, src, version) || is
	}
	return is
}

func (c *checker) instrumentAt(t *testing.T, src, version string) bool {
	t.Helper()
	name := filepath.Join(t.TempDir(), "x.go")
	file, err := parser.ParseFile(c.fset, name, src, parser.ParseComments)
	if err != nil {
		return false
	}
	for _, imp := range file.Imports {
		switch imp.Path.Value {
		case `"C"`, `"testing"`, `"net/http"`:
			return false
		}
	}
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Implicits: map[ast.Node]types.Object{},
		Instances: map[*ast.Ident]types.Instance{}, Scopes: map[ast.Node]*types.Scope{}, FileVersions: map[*ast.File]string{},
	}
	pkg, err := (&types.Config{Importer: c.std, GoVersion: version}).Check("p", c.fset, []*ast.File{file}, info)
	if err != nil {
		return false
	}
	info.FileVersions[file] = version
	require.NoError(t, os.WriteFile(name, []byte(src), 0o644))
	p := &packages.Package{
		ID: "p", PkgPath: "p", Name: file.Name.Name, GoFiles: []string{name}, Syntax: []*ast.File{file}, Fset: c.fset,
		Types: pkg, TypesInfo: info, TypesSizes: types.SizesFor("gc", "amd64"), Module: &packages.Module{},
	}
	prog := &source.Program{Fset: c.fset, Root: filepath.Dir(name), Packages: []*packages.Package{p}}
	idx := Index(prog)
	for _, opts := range []Options{{EveryLine: true}, {Races: true, Accesses: accesses(idx)}} {
		o, err := Instrument(context.Background(), prog, idx, opts)
		require.NoError(t, err)
		typecheck(t, c.std, c.orc, p, o)
		if t.Failed() {
			t.Fatalf("%s: races %t, of\n%s\ninstrumented:\n%s", version, opts.Races, src, o.Files["x.go"])
		}
	}
	return true
}
