package parse

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vtrace/vtrace/internal/source"
	"golang.org/x/tools/go/packages"
)

// TestTypes instruments packages of the standard library and others, large and
// full of concurrency, and type-checks the result; more of them with -modules.
func TestTypes(t *testing.T) {
	patterns := []string{
		"context", "database/sql", "net/http", "crypto/tls",
		"os/exec", "net", "io", "go/types", "encoding/json", "internal/singleflight",
		"golang.org/x/tools/go/packages", "golang.org/x/tools/go/ssa", "github.com/klauspost/compress/zstd",
	}
	if *modules == "" {
		patterns = patterns[:4]
	}
	fset, std := standardLibrary()
	pkgs, err := packages.Load(&packages.Config{
		Mode: packages.LoadSyntax | packages.NeedModule | packages.NeedForTest, Fset: fset, Tests: false,
	}, patterns...)
	require.NoError(t, err)
	lines := 0
	for _, p := range pkgs {
		require.Empty(t, p.Errors, p.ID)
		if p.Module == nil {
			p.Module = &packages.Module{}
		}
		prog := &source.Program{Fset: fset, Root: filepath.Dir(p.GoFiles[0]), Packages: []*packages.Package{p}}
		idx := Index(prog)
		var runtime map[string][]byte // the same for all options
		var orc *types.Package
		for _, opts := range []Options{{}, {EveryLine: true}, {EveryLine: true, Races: true}, {Accesses: accesses(idx)}, {Accesses: accesses(idx), Races: true}} {
			o, err := Instrument(context.Background(), prog, idx, opts)
			require.NoError(t, err)
			if orc == nil {
				runtime, orc = o.Runtime, fittingRuntime(t, std, p, o)
			}
			require.Equal(t, runtime, o.Runtime)
			lines += typecheck(t, std, orc, p, o)
			notLost(t, o)
		}
		o, err := Instrument(context.Background(), prog, sharedIndex(t, prog), Options{Shared: true})
		require.NoError(t, err)
		lines += typecheck(t, std, orc, p, o)
		notLost(t, o)
	}
	t.Logf("%d lines checked", lines)
}

// standardLibrary imports packages of the standard library from their source, each once for all
// tests. Whoever compares positions with theirs parses into the same file set.
var standardLibrary = sync.OnceValues(func() (*token.FileSet, types.Importer) {
	fset := token.NewFileSet()
	std := importer.ForCompiler(fset, "source", nil)
	// It looks for the files of a package each time, also of one that it has.
	known := map[string]*types.Package{}
	return fset, importFunc(func(path string) (*types.Package, error) {
		if p := known[path]; p != nil {
			return p, nil
		}
		p, err := std.Import(path)
		if err == nil {
			known[path] = p
		}
		return p, err
	})
})

type importFunc func(path string) (*types.Package, error)

func (f importFunc) Import(path string) (*types.Package, error) { return f(path) }

// runtimeTypes are the types of the runtime.
func runtimeTypes(t testing.TB, std types.Importer, o *Overlay) *types.Package {
	t.Helper()
	fset := token.NewFileSet()
	var files []*ast.File
	here := build.Default
	here.OpenFile = func(name string) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(o.Runtime[filepath.Base(name)])), nil
	}
	for name, data := range o.Runtime {
		if ok, err := here.MatchFile("", name); err != nil || !ok {
			require.NoError(t, err)
			continue
		}
		f, err := parser.ParseFile(fset, name, data, parser.SkipObjectResolution)
		require.NoError(t, err)
		files = append(files, f)
	}
	p, err := (&types.Config{Importer: std}).Check("vtraceorc", fset, files, nil)
	require.NoError(t, err)
	return p
}

// fittingRuntime is the runtime on top of the same package types as p.
func fittingRuntime(t *testing.T, std types.Importer, p *packages.Package, o *Overlay) *types.Package {
	t.Helper()
	// Iterators of the runtime are handed on to what p imports, and from one of these packages to the other.
	iterators := map[string]*types.Package{}
	for _, user := range []string{"maps", "slices"} {
		if q := p.Imports[user]; q != nil {
			iterators[user] = q.Types
			for _, i := range q.Types.Imports() {
				if i.Path() == "iter" {
					iterators["iter"] = i
				}
			}
		}
	}
	var fitting importFunc
	fitting = func(path string) (*types.Package, error) {
		if q := p.Imports[path]; q != nil {
			return q.Types, nil
		}
		if q := iterators[path]; q != nil {
			return q, nil
		}
		if len(iterators) == 0 || path != "maps" && path != "slices" {
			return std.Import(path)
		}
		here, err := build.Import(path, "", 0)
		require.NoError(t, err)
		fset, files := token.NewFileSet(), []*ast.File(nil)
		for _, name := range here.GoFiles {
			f, err := parser.ParseFile(fset, filepath.Join(here.Dir, name), nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			files = append(files, f)
		}
		iterators[path], err = (&types.Config{Importer: fitting}).Check(path, fset, files, nil)
		return iterators[path], err
	}
	return runtimeTypes(t, fitting, o)
}

// typecheck checks the instrumented package and returns its number of lines.
func typecheck(t *testing.T, std types.Importer, orc *types.Package, p *packages.Package, o *Overlay) (lines int) {
	t.Helper()
	fset := token.NewFileSet()
	names := map[string][]byte{}
	for name, data := range o.Files {
		names[name] = data
	}
	var files []*ast.File
	own := map[string]bool{}
	for _, f := range p.Syntax {
		name := filepath.Base(p.Fset.PositionFor(f.FileStart, false).Filename)
		own[name] = true
		if names[name] == nil {
			g, err := parser.ParseFile(fset, p.Fset.PositionFor(f.FileStart, false).Filename, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			files = append(files, g)
		}
	}
	var order []string
	for name := range names {
		order = append(order, name)
	}
	sort.Strings(order)
	for _, name := range order {
		g, err := parser.ParseFile(fset, name, names[name], parser.SkipObjectResolution|parser.ParseComments)
		require.NoError(t, err)
		files = append(files, g)
		lines += strings.Count(string(names[name]), "\n")
	}
	var errs []string
	cfg := types.Config{
		GoVersion: "go1.26",
		Importer: importFunc(func(path string) (*types.Package, error) {
			if path == "vtraceorc" {
				return orc, nil
			}
			if q := p.Imports[path]; q != nil {
				return q.Types, nil
			}
			return std.Import(path)
		}),
		Error: func(err error) { errs = append(errs, err.Error()) },
		Sizes: p.TypesSizes,
	}
	_, err := cfg.Check(p.PkgPath, fset, files, nil)
	if err != nil {
		t.Errorf("%s: %s", p.PkgPath, fmt.Sprint(strings.Join(errs, "\n")))
	}
	return lines
}

// typed is a file with what is known of its types.
func typed(t *testing.T, text string) (*types.Info, *ast.File) {
	t.Helper()
	fset, std := standardLibrary()
	file, err := parser.ParseFile(fset, "p.go", text, 0)
	require.NoError(t, err, text)
	info := &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}, Scopes: map[ast.Node]*types.Scope{}, Implicits: map[ast.Node]types.Object{},
	}
	_, err = (&types.Config{Importer: std}).Check("p", fset, []*ast.File{file}, info)
	require.NoError(t, err, text)
	return info, file
}
