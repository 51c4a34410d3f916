package pass

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/vtrace/vtrace/internal/parse"
	"github.com/vtrace/vtrace/internal/sites"
	"golang.org/x/tools/go/packages"
)

// A loop that does nothing but look for a change is an await: how often it looks in vain
// makes no difference, and a schedule in which its goroutine looks only when something
// has changed stands for all others. A loop that counts, or keeps what it sees, is none.

// awaits are the keys of the sites in such loops.
func (p *program) awaits() (keys []string) {
	a := &awaitFinder{decls: map[*types.Func]declaration{}, pure: map[*types.Func]bool{}}
	for _, pkg := range p.source.Packages {
		for _, f := range pkg.Syntax {
			for _, d := range f.Decls {
				if fd, ok := d.(*ast.FuncDecl); ok && fd.Body != nil {
					if f, ok := pkg.TypesInfo.Defs[fd.Name].(*types.Func); ok {
						a.decls[f] = declaration{fd, pkg.TypesInfo}
					}
				}
			}
		}
	}
	type span struct {
		file     string
		from, to token.Position
	}
	var loops []span
	for _, pkg := range p.source.Packages {
		for _, f := range pkg.Syntax {
			ast.Inspect(f, func(n ast.Node) bool {
				loop, ok := n.(*ast.ForStmt)
				if ok && loop.Post == nil && a.looks(pkg, loop) {
					from, to := p.source.Fset.Position(loop.For), p.source.Fset.Position(loop.End())
					loops = append(loops, span{p.source.Rel(from.Filename), from, to})
				}
				return true
			})
		}
	}
	for _, s := range p.sites.Sites() {
		for _, l := range loops {
			after := s.Line > l.from.Line || s.Line == l.from.Line && s.Col >= l.from.Column
			before := s.Line < l.to.Line || s.Line == l.to.Line && s.Col < l.to.Column
			if s.File == l.file && after && before {
				keys = append(keys, s.Key)
				break
			}
		}
	}
	return keys
}

type declaration struct {
	decl *ast.FuncDecl
	info *types.Info
}

// awaitFinder finds out what only looks.
type awaitFinder struct {
	decls map[*types.Func]declaration
	pure  map[*types.Func]bool // of functions looked at, false while they are
}

// looks reports whether a loop keeps nothing from one iteration to the next.
func (a *awaitFinder) looks(pkg *packages.Package, loop *ast.ForStmt) bool {
	ok := loop.Cond == nil || a.keepsNothing(pkg.TypesInfo, loop.Cond, loop)
	return ok && a.keepsNothing(pkg.TypesInfo, loop.Body, loop)
}

// keepsNothing reports whether what is executed in a node changes no variable that is
// declared outside of scope, operations aside, which a run sees. What leaves the loop, or
// the function, is not looked at.
func (a *awaitFinder) keepsNothing(info *types.Info, n ast.Node, scope ast.Node) bool {
	ok := true
	inside := func(e ast.Expr) bool {
		id, isIdent := ast.Unparen(e).(*ast.Ident)
		if !isIdent {
			return false
		}
		obj := info.ObjectOf(id)
		return id.Name == "_" || obj != nil && scope.Pos() <= obj.Pos() && obj.Pos() < scope.End()
	}
	ast.Inspect(n, func(n ast.Node) bool {
		if !ok {
			return false
		}
		switch n := n.(type) {
		case *ast.BlockStmt:
			if leaves(n.List) && ast.Node(n) != scope {
				return false
			}
		case *ast.CaseClause:
			return !leaves(n.Body)
		case *ast.CommClause:
			if leaves(n.Body) {
				return false
			}
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				ok = ok && inside(l)
			}
		case *ast.IncDecStmt:
			ok = inside(n.X)
		case *ast.RangeStmt, *ast.GoStmt, *ast.DeferStmt, *ast.SendStmt, *ast.FuncLit:
			ok = false
		case *ast.CallExpr:
			ok = a.quiet(info, n)
		}
		return ok
	})
	return ok
}

// looking are functions that a loop may call and that keep nothing, besides those of package time.
var looking = []string{"runtime.Gosched", "runtime.NumGoroutine", "time.Sleep"}

// quiet reports whether a call is an operation that runs see, or keeps nothing.
func (a *awaitFinder) quiet(info *types.Info, c *ast.CallExpr) bool {
	if tv, ok := info.Types[c.Fun]; ok && tv.IsType() {
		return true // a conversion
	}
	kind, obj := sites.Classify(info, c.Fun)
	if kind != sites.Invalid {
		return true
	}
	switch f := obj.(type) {
	case *types.Builtin:
		return f.Name() == "len" || f.Name() == "cap"
	case *types.Func:
		if name := f.FullName(); slices.Contains(looking, name) || parse.OfTime(f) {
			return true
		}
		if pure, known := a.pure[f]; known {
			return pure
		}
		a.pure[f] = false
		if d, ok := a.decls[f.Origin()]; ok {
			a.pure[f] = a.keepsNothing(d.info, d.decl.Body, d.decl)
		}
		return a.pure[f]
	}
	return false
}

// leaves reports whether a list of statements ends the loop or the function around it.
func leaves(list []ast.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	switch s := list[len(list)-1].(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		// A break may belong to a switch or select in the loop.
		return s.Tok == token.GOTO || s.Tok == token.BREAK && s.Label != nil
	case *ast.ExprStmt:
		if c, ok := s.X.(*ast.CallExpr); ok {
			id, ok := c.Fun.(*ast.Ident)
			return ok && id.Name == "panic"
		}
	}
	return false
}
