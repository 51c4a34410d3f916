package source

import (
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/doc"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/tools/go/packages"
)

// Set is the packages that a pattern names, loaded once for all the programs
// that they hold: one for each entry point.
type Set struct {
	spec    Spec
	dir     string // where the go command has listed the packages
	fset    *token.FileSet
	pkgs    []*packages.Package
	matched []string // import paths of the packages that the pattern names, sorted
	loose   []string // see Program.loose

	vendored  bool                   // see Program.vendored
	workspace func() (string, error) // see Program.workspace

	toolchain   *toolchain
	memory      *memory
	derivations *derivations
}

// EntryPoint is an entry point of a package of a Set.
type EntryPoint struct {
	// Package is the import path, that of the tested package for a test.
	Package string
	// Func is "main" or the name of a test function.
	Func string
	// Pos is where it is declared; File is absolute.
	Pos token.Position
}

func (e EntryPoint) String() string { return e.Package + " " + e.Func }

// LoadSet loads the packages that spec.Pattern names, with their tests and the
// packages of the main modules that they depend on. spec.Entry is not used.
// Errors in a package are errors of the programs that need it.
func LoadSet(ctx context.Context, spec Spec) (*Set, error) {
	if err := spec.check(ctx); err != nil {
		return nil, err
	}
	ctx, cancel := spec.bounded(ctx)
	defer cancel()
	spec, err := spec.takeOverlay()
	if err != nil {
		return nil, err
	}
	return loadSet(ctx, spec, true)
}

func loadSet(ctx context.Context, spec Spec, tests bool) (*Set, error) {
	if spec.Pattern == "" {
		spec.Pattern = "."
	}
	dir, err := filepath.Abs(spec.Dir)
	if err != nil {
		return nil, fmt.Errorf("source directory: %w", err)
	}
	if !spec.ImportPath {
		if dir, spec.Pattern, err = resolve(dir, spec.Pattern); err != nil {
			return nil, err
		}
	}
	cfg := func(m packages.LoadMode, fset *token.FileSet) *packages.Config {
		return &packages.Config{Context: ctx, Dir: dir, Env: spec.GoEnviron(), BuildFlags: spec.Flags, Mode: m, Tests: tests, Fset: fset, Overlay: spec.overlay}
	}

	// First the graph: which packages belong to the main modules.
	const graph = packages.NeedName | packages.NeedImports | packages.NeedDeps | packages.NeedModule | packages.NeedForTest | packages.NeedFiles | packages.NeedEmbedFiles
	roots, err := load(cfg(graph, nil), spec.Pattern)
	if err != nil {
		return nil, err
	}
	if !strings.Contains(spec.Pattern, "...") {
		if err := errorsOf(roots); err != nil {
			return nil, err
		}
	}
	own := map[string]bool{}
	packages.Visit(roots, nil, func(p *packages.Package) {
		if p.Module != nil && p.Module.Main && !strings.HasSuffix(p.ID, ".test") {
			own[strings.TrimSuffix(p.PkgPath, "_test")] = true
		}
	})
	if len(roots) == 0 {
		return nil, fmt.Errorf("%s: there are no packages", spec.Pattern)
	}
	if len(own) == 0 {
		return nil, fmt.Errorf("%s: not part of a main module: a go.mod is needed", spec.Pattern)
	}
	deps, err := spec.dependencies(roots)
	if err != nil {
		return nil, err
	}
	for path := range deps {
		own[path] = true
	}
	// Then their syntax, all in one type-checking universe.
	patterns := make([]string, 0, len(own))
	for path := range own {
		patterns = append(patterns, path)
	}
	sort.Strings(patterns)
	patterns = append(patterns, imported(roots, own)...)
	s := &Set{spec: spec, dir: dir, fset: token.NewFileSet(), loose: loose(roots, own), vendored: vendored(roots), toolchain: &toolchain{}, memory: &memory{}, derivations: &derivations{}}
	for _, p := range roots {
		if !strings.HasSuffix(p.ID, ".test") {
			s.matched = append(s.matched, strings.TrimSuffix(p.PkgPath, "_test"))
		}
	}
	sort.Strings(s.matched)
	s.matched = slices.Compact(s.matched)
	// Who has it work out what an entry point can reach may come later.
	s.workspace = sync.OnceValues(func() (string, error) { return spec.findWorkspace(context.WithoutCancel(ctx), dir) })
	if s.pkgs, err = load(cfg(mode, s.fset), patterns...); err != nil {
		return nil, err
	}
	return s, nil
}

// Spec is what the set was loaded by.
func (s *Set) Spec() Spec { return s.spec }

// Entries lists the entry points of the packages that the pattern names, by
// package and place: main functions and tests.
func (s *Set) Entries() []EntryPoint {
	return s.declared(func(p *packages.Package, _ *ast.File, fd *ast.FuncDecl) bool { return isEntry(p, fd) })
}

// Others lists what the go command runs with the tests besides Entries, in the same order:
// fuzz tests, for their seeds, and examples that say what they print.
func (s *Set) Others() []EntryPoint {
	return s.declared(func(p *packages.Package, file *ast.File, fd *ast.FuncDecl) bool {
		if fd.Recv != nil || fd.Body == nil || p.TypesInfo == nil || !strings.HasSuffix(p.Fset.Position(fd.Pos()).Filename, "_test.go") {
			return false
		}
		if f, ok := p.TypesInfo.Defs[fd.Name].(*types.Func); ok && NameOf(fd.Name.Name, "Fuzz") && takesOnly(f, "*testing.F") {
			return true
		}
		return NameOf(fd.Name.Name, "Example") && slices.ContainsFunc(doc.Examples(file), func(e *doc.Example) bool {
			return "Example"+e.Name == fd.Name.Name && (e.Output != "" || e.EmptyOutput)
		})
	})
}

// Packages are the packages of the set that have syntax and belong to the program, without their tests, dependencies
// among them, and those of them that the pattern names, both by path. They are shared, and must not be changed.
func (s *Set) Packages() (all, matched []*packages.Package) {
	for _, p := range s.pkgs {
		if p.ForTest != "" || strings.HasSuffix(p.ID, ".test") || strings.HasSuffix(p.PkgPath, "_test") || p.Types == nil || len(p.Syntax) == 0 || len(p.Errors) > 0 {
			continue
		}
		all = append(all, p)
		if _, ok := slices.BinarySearch(s.matched, p.PkgPath); ok {
			matched = append(matched, p)
		}
	}
	byPath := func(a, b *packages.Package) int { return cmp.Compare(a.PkgPath, b.PkgPath) }
	slices.SortFunc(all, byPath)
	slices.SortFunc(matched, byPath)
	return all, matched
}

// Fset has the positions of the packages.
func (s *Set) Fset() *token.FileSet { return s.fset }

// TestFiles are the test files of the packages that the pattern names, by absolute name, with the names of
// their packages.
func (s *Set) TestFiles() map[string]string {
	out := map[string]string{}
	for _, p := range s.pkgs {
		if _, ok := slices.BinarySearch(s.matched, p.ForTest); !ok {
			continue
		}
		for _, f := range p.Syntax {
			if name := s.fset.Position(f.FileStart).Filename; strings.HasSuffix(name, "_test.go") {
				out[name] = f.Name.Name
			}
		}
	}
	return out
}

// ErrorsIn are the errors of the packages that are in a file, by its absolute name.
func (s *Set) ErrorsIn(name string) (out []ProgramError) {
	for _, p := range s.pkgs {
		for _, e := range p.Errors {
			if file, line, col := place(e.Pos); file == name {
				out = append(out, ProgramError{File: file, Line: line, Col: col, Message: e.Msg})
			}
		}
	}
	return out
}

// declared lists the functions of the packages that the pattern names, of a kind, by package
// and place.
func (s *Set) declared(is func(*packages.Package, *ast.File, *ast.FuncDecl) bool) []EntryPoint {
	var out []EntryPoint
	for _, path := range s.matched {
		var here []EntryPoint
		seen := map[string]bool{}
		for _, p := range s.pkgs {
			if strings.HasSuffix(p.ID, ".test") || p.PkgPath != path && (p.PkgPath != path+"_test" || p.ForTest != path) {
				continue
			}
			for _, file := range p.Syntax {
				for _, d := range file.Decls {
					fd, ok := d.(*ast.FuncDecl)
					if !ok || seen[fd.Name.Name] || !is(p, file, fd) {
						continue
					}
					seen[fd.Name.Name] = true
					here = append(here, EntryPoint{Package: path, Func: fd.Name.Name, Pos: s.fset.Position(fd.Pos())})
				}
			}
		}
		slices.SortFunc(here, func(a, b EntryPoint) int {
			return cmp.Or(cmp.Compare(a.Pos.Filename, b.Pos.Filename), cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Func, b.Func))
		})
		out = append(out, here...)
	}
	return out
}

// isEntry reports whether a declaration is one that the go command runs: main,
// or a test in a test file.
func isEntry(p *packages.Package, fd *ast.FuncDecl) bool {
	if fd.Recv != nil || fd.Body == nil || p.TypesInfo == nil {
		return false
	}
	f, ok := p.TypesInfo.Defs[fd.Name].(*types.Func)
	if !ok {
		return false
	}
	if fd.Name.Name == "main" {
		return p.Name == "main"
	}
	file := p.Fset.Position(fd.Pos()).Filename
	return strings.HasSuffix(file, "_test.go") && testName(fd.Name.Name) && isTest(f)
}

// testName reports whether the go command takes a function of that name for a
// test.
func testName(name string) bool { return NameOf(name, "Test") }

// NameOf reports whether a name is one of those that the go command takes for what the prefix says:
// Test, Fuzz, Benchmark or Example.
func NameOf(name, prefix string) bool {
	rest, ok := strings.CutPrefix(name, prefix)
	if !ok {
		return false
	}
	first, _ := utf8.DecodeRuneInString(rest)
	return !unicode.IsLower(first)
}

func isTest(f *types.Func) bool { return takesOnly(f, "*testing.T") }

// takesOnly reports whether a function has one parameter, of that type, and no results.
func takesOnly(f *types.Func, param string) bool {
	sig := f.Signature()
	return sig.Params().Len() == 1 && sig.Params().At(0).Type().String() == param && sig.Results().Len() == 0 && sig.TypeParams().Len() == 0
}

// Program is the program of an entry point. Programs of one set share their
// packages.
func (s *Set) Program(e EntryPoint) (*Program, error) {
	spec := s.spec
	spec.Pattern, spec.Entry = e.Package, e.Func
	return s.program(spec, e.Package)
}

// program chooses the packages of the program with the entry spec.Entry in the
// package of that path.
func (s *Set) program(spec Spec, path string) (*Program, error) {
	prog := &Program{Spec: spec, Fset: s.fset, Test: spec.Entry != "main", loose: s.loose, vendored: s.vendored, workspace: s.workspace, toolchain: s.toolchain, memory: s.memory, derivations: s.derivations}
	if err := prog.choose(s.pkgs, path); err != nil {
		return nil, err
	}
	if err := errorsOf(slices.Concat(prog.Library, prog.Packages)); err != nil {
		return nil, err
	}
	if prog.Func == nil {
		what := "func main in package main"
		if prog.Test {
			what = "func " + spec.Entry + "(*testing.T)"
		}
		tests, leftOut := prog.tests()
		switch file := leftOut[spec.Entry]; {
		case file != "":
			what += "; it is in " + file + ", which the build constraints of the file leave out"
		case len(tests) > 0:
			what += "; the tests of the package: " + strings.Join(tests, ", ")
		}
		return nil, fmt.Errorf("%s: %w: %s", prog.Entry.PkgPath, ErrNoEntry, what)
	}
	m := prog.Entry.Module
	prog.Module, prog.GoVersion = m.Path, m.GoVersion
	prog.Root = commonRoot(prog.Packages)
	prog.findDependencies()
	return prog, nil
}
