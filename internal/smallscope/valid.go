package smallscope

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/packages"
)

// A number may also be a length that something is written for: with eight bytes made four, the index of the fifth does not compile.

// valid reports whether a program with smaller numbers compiles, as far as packages that have such numbers are concerned.
func (s Scope) valid() bool {
	for _, p := range s.of.prog.Packages {
		if slices.ContainsFunc(p.CompiledGoFiles, func(name string) bool { return s.Files[name] != nil }) && !s.compiles(p) {
			return false
		}
	}
	return true
}

// compiles reports whether the type checker takes a package with its smaller numbers. Where it does not take it as it was either,
// as one with cgo, it is not for it to say.
func (s Scope) compiles(p *packages.Package) bool {
	return s.checks(p, s.Files) || !s.checks(p, nil)
}

// checks reports whether the type checker takes a package some files of which have another text.
func (s Scope) checks(p *packages.Package, changed map[string][]byte) bool {
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.CompiledGoFiles {
		text, ok := changed[name]
		if !ok {
			var err error
			if text, err = s.of.prog.ReadFile(name); err != nil {
				return false
			}
		}
		f, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			return false
		}
		files = append(files, f)
	}
	conf := types.Config{Importer: imported(p.Imports), Sizes: p.TypesSizes}
	if p.Module != nil && p.Module.GoVersion != "" {
		conf.GoVersion = "go" + p.Module.GoVersion
	}
	_, err := conf.Check(p.PkgPath, fset, files, nil)
	return err == nil
}

// imported are the packages that a package imports, by the paths that it writes.
type imported map[string]*packages.Package

// Import implements types.Importer.
func (m imported) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if p := m[path]; p != nil && p.Types != nil {
		return p.Types, nil
	}
	return nil, fmt.Errorf("package %s is not loaded", path)
}

// madeValid is a scope that compiles: that of the numbers, or one in which one of them is as it was. ok is false if there is none.
func (n *numbers) madeValid(to map[int64]int64) (s Scope, ok bool, err error) {
	if s, err = (Scope{of: n, to: to}).made(); err != nil || s.valid() {
		return s, err == nil, err
	}
	for _, v := range slices.Sorted(maps.Keys(to)) {
		fewer := maps.Clone(to)
		if delete(fewer, v); len(fewer) == 0 {
			continue
		}
		if s, err = (Scope{of: n, to: fewer}).made(); err != nil || s.valid() {
			return s, err == nil, err
		}
	}
	return Scope{}, false, nil
}
