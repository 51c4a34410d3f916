package source

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/packages"
)

// The go command links all tests of a directory into one binary: those in the package, and those of the
// external test package. A program under check has the packages that its entry depends on, so that a
// test in the package knows nothing of the external ones. One binary can serve both, if what the entry does
// not depend on does nothing of its own in it.

// WithExternalTests returns the program that also has the external test package beside the package of the
// entry, with what that one depends on, and the same entry function. Its packages begin with those of
// prog; left are the paths of the others. It is nil if there is no such test package, if that does not
// import the package of the entry, or if its part of the program could make itself felt in a run of the entry.
func (prog *Program) WithExternalTests() (whole *Program, left []string) {
	if len(prog.besides) == 0 {
		return nil, nil
	}
	both := *prog
	both.Packages, both.Library = slices.Clone(prog.Packages), slices.Clone(prog.Library)
	for _, p := range prog.besides {
		if p.Module == nil {
			both.Library = append(both.Library, p)
			continue
		}
		if !prog.isApart(p) {
			return nil, nil
		}
		both.Packages = append(both.Packages, p)
		left = append(left, p.PkgPath)
	}
	external := prog.besides[len(prog.besides)-1]
	both.Entry, both.testPackages, both.besides = external, append(slices.Clone(prog.testPackages), external), nil
	if errorsOf(slices.Concat(both.Library, both.Packages)) != nil || commonRoot(both.Packages) != prog.Root {
		return nil, nil // the go command will say what is wrong, or the names of files are others
	}
	both.findDependencies()
	return &both, left
}

// isApart reports whether nothing of a package, which the program does not depend on, can run with an entry of
// the program: what is done before, by its initialisation and by TestMain, calls no other function of
// the package, starts no goroutine, and gives nobody anything that may have its code.
func (prog *Program) isApart(p *packages.Package) bool {
	if len(p.OtherFiles) > 0 {
		return false // assembly or C
	}
	for _, file := range p.Syntax {
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if v, ok := spec.(*ast.ValueSpec); ok && slices.ContainsFunc(v.Values, func(e ast.Expr) bool { return prog.reachesOut(p, e) }) {
						return false
					}
				}
			case *ast.FuncDecl:
				begins := d.Recv == nil && d.Body != nil && (d.Name.Name == "init" || d.Name.Name == "TestMain")
				if begins && prog.reachesOut(p, d.Body) {
					return false
				}
			}
		}
	}
	return true
}

// reachesOut reports whether what is done before the entry in a package may leave code of it to others, or is
// not seen, see isApart.
func (prog *Program) reachesOut(p *packages.Package, n ast.Node) (does bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt, *ast.SendStmt:
			does = true
		case *ast.AssignStmt:
			does = does || slices.ContainsFunc(n.Lhs, func(e ast.Expr) bool { return prog.isElsewhere(p, e) })
		case *ast.CallExpr:
			does = does || slices.ContainsFunc(n.Args, func(e ast.Expr) bool { return prog.mayCarryCode(p, e) })
		case *ast.Ident:
			f, ok := p.TypesInfo.Uses[n].(*types.Func)
			does = does || ok && prog.isBeside(f.Pkg())
		}
		return !does
	})
	return does
}

// isElsewhere reports whether what is assigned to is not a variable of the package itself.
func (prog *Program) isElsewhere(p *packages.Package, e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return !ok || id.Name != "_" && p.TypesInfo.ObjectOf(id).Pkg() != p.Types
}

// mayCarryCode reports whether an argument may have functions of the module in it: a literal, or a value
// with methods.
func (prog *Program) mayCarryCode(p *packages.Package, e ast.Expr) (may bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok {
			return !may
		}
		_, may = e.(*ast.FuncLit)
		t := p.TypesInfo.TypeOf(e)
		if t == nil {
			return !may
		}
		if pointer, ok := types.Unalias(t).(*types.Pointer); ok {
			t = pointer.Elem()
		}
		named, ok := types.Unalias(t).(*types.Named)
		may = may || ok && (prog.isOwn(named.Obj().Pkg()) || prog.isBeside(named.Obj().Pkg()))
		return !may
	})
	return may
}

// isOwn reports whether a package is one of the program.
func (prog *Program) isOwn(p *types.Package) bool { return isAmong(prog.Packages, p) }

// isBeside reports whether it is one of those that the external tests have beside it.
func (prog *Program) isBeside(p *types.Package) bool { return isAmong(prog.besides, p) }

func isAmong(list []*packages.Package, p *types.Package) bool {
	return slices.ContainsFunc(list, func(q *packages.Package) bool { return p != nil && q.PkgPath == p.Path() && q.Module != nil })
}
