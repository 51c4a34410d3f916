package parse

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/types/typeutil"

	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/source"
)

// Where the clock decides as a number is found without running anything (numbers.go): a library that reads the clock in one
// of its functions has it decide whatever is calculated from what that may return, also in a program that never calls it. A run can
// tell: as long as nothing has given it a time, nothing in it depends on one. So each statement that may be
// the first to have a time says so, and a place where the clock decides counts in runs that have one.

// givesTimes reports whether a part of the program, without the statements in it, may have a time that was not there
// before: it has an expression that is one, but for what package time makes of numbers and of other times, and for variables of
// packages, which somebody has set.
func givesTimes(info *types.Info, n ast.Node) (gives bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if gives {
			return false
		}
		switch n := n.(type) {
		case *ast.BlockStmt:
			return false
		case *ast.CaseClause:
			for _, e := range n.List {
				gives = gives || isATime(info.TypeOf(e)) || givesTimes(info, e)
			}
			return false
		case *ast.CommClause:
			gives = n.Comm != nil && givesTimes(info, n.Comm)
			return false
		case *ast.CompositeLit:
			for _, e := range n.Elts {
				gives = gives || givesTimes(info, e)
			}
			return false
		case *ast.KeyValueExpr:
			_, name := n.Key.(*ast.Ident) // of a field, which is set, or of a variable, whose value came from somewhere
			gives = givesTimes(info, n.Value) || !name && givesTimes(info, n.Key)
			return false
		case *ast.CallExpr:
			gives = callGivesTimes(info, n)
		case *ast.TypeAssertExpr:
			gives = n.Type != nil && isATime(info.TypeOf(n.Type))
		case *ast.UnaryExpr:
			if c := sites.ChanOf(info.TypeOf(n.X)); c != nil && n.Op == token.ARROW {
				gives = isATime(c.Elem())
			}
		case *ast.Ident:
			v, ok := info.ObjectOf(n).(*types.Var)
			gives = ok && isATime(v.Type()) && !isPackageVar(v)
		case *ast.IndexExpr, *ast.StarExpr:
			at := info.Types[n.(ast.Expr)]
			gives = at.IsValue() && isATime(at.Type)
		}
		return true
	})
	return gives
}

// callGivesTimes reports whether a call returns times, or durations, that are not calculated from others.
func callGivesTimes(info *types.Info, c *ast.CallExpr) bool {
	if info.Types[c.Fun].IsType() {
		return false // what is converted is looked at for itself
	}
	f, _ := typeutil.Callee(info, c).(*types.Func)
	if f != nil && f.Pkg() != nil && f.Pkg().Path() == "time" && sites.ClockReader(f) == "" {
		return false
	}
	of := func(t types.Type) bool { return isATime(t) || isDuration(t) }
	switch t := info.TypeOf(c).(type) {
	case *types.Tuple:
		for v := range t.Variables() {
			if of(v.Type()) {
				return true
			}
		}
		return false
	case nil:
		return false
	default:
		return of(t)
	}
}

// isATime reports whether values of a type are times, or refer to one.
func isATime(t types.Type) bool {
	if t == nil {
		return false
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	return isTimeType(t, "Time")
}

// isPackageVar reports whether a variable is one of a package.
func isPackageVar(v *types.Var) bool { return v.Pkg() != nil && v.Parent() == v.Pkg().Scope() }

// initialisesTimes reports whether variables of the packages of a program are initialised with what may give it a time.
func initialisesTimes(prog *source.Program) bool {
	for _, p := range prog.Packages {
		for _, file := range p.Syntax {
			for _, d := range file.Decls {
				g, ok := d.(*ast.GenDecl)
				if !ok || g.Tok != token.VAR {
					continue
				}
				for _, spec := range g.Specs {
					for _, e := range spec.(*ast.ValueSpec).Values {
						if givesTimes(p.TypesInfo, e) {
							return true
						}
					}
				}
			}
		}
	}
	return false
}

// timed tells the runtime that a statement is executed that may give the program a time.
func (r *rewriter) timed(s ast.Node) string {
	if !r.tellsTimes || !givesTimes(r.info, s) {
		return ""
	}
	return r.zz + ".Timed(); "
}
