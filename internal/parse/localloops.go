package parse

import (
	"go/ast"
	"go/token"
	"go/types"
	"sort"
)

// Beside atomic operations each statement is a guard, since it may be meant to be ordered by them. A loop that touches
// nothing but variables of its own goroutine is not: it may have a hundred thousand iterations, and nobody sees any of them.

// span is a part of a file.
type span struct{ from, to token.Pos }

// localLoops are the outermost such loops of a file, by place.
func (r *rewriter) localLoops(f *ast.File) (out []span) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			if r.local(n) {
				out = append(out, span{n.Pos(), n.End()})
				return false
			}
		}
		return true
	})
	return out
}

// inLocalLoop reports whether a statement is one of a loop of localLoops.
func (r *rewriter) inLocalLoop(at token.Pos) bool {
	i := sort.Search(len(r.quiet), func(i int) bool { return r.quiet[i].to > at })
	return i < len(r.quiet) && r.quiet[i].from <= at
}

// local reports whether what is in a node does nothing but calculate with variables that no other goroutine can reach.
func (r *rewriter) local(n ast.Node) bool {
	ok := true
	ast.Inspect(n, func(n ast.Node) bool {
		if !ok {
			return false
		}
		switch n := n.(type) {
		case *ast.CallExpr:
			ok = r.calculates(n)
		case *ast.Ident:
			v, isVar := r.info.ObjectOf(n).(*types.Var)
			ok = !isVar || !v.IsField() && v.Parent() != v.Pkg().Scope() && !r.memory.shared[v]
		case *ast.IndexExpr:
			ok = r.ownElement(n)
		case *ast.RangeStmt:
			ok = r.ownRange(n)
		case *ast.UnaryExpr:
			ok = n.Op != token.AND && n.Op != token.ARROW
		case *ast.SelectorExpr, *ast.StarExpr, *ast.SliceExpr, *ast.TypeAssertExpr, *ast.CompositeLit, *ast.FuncLit,
			*ast.SendStmt, *ast.GoStmt, *ast.DeferStmt, *ast.SelectStmt:
			ok = false
		}
		return ok
	})
	return ok
}

// calculates reports whether a call is a conversion, or of a builtin function that only calculates.
func (r *rewriter) calculates(call *ast.CallExpr) bool {
	if r.info.Types[call.Fun].IsType() {
		return true
	}
	b, ok := builtin(r.info, call.Fun)
	return ok && (b.Name() == "len" || b.Name() == "cap" || b.Name() == "min" || b.Name() == "max")
}

// ownElement reports whether an element is of an array in a variable, or of a slice whose elements nobody else has.
func (r *rewriter) ownElement(x *ast.IndexExpr) bool {
	switch r.info.TypeOf(x.X).Underlying().(type) {
	case *types.Array:
		return true // of the variable, which is looked at
	case *types.Slice:
		return r.ownSlice(x.X)
	case *types.Basic: // a string
		return true
	}
	return false
}

func (r *rewriter) ownSlice(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := r.info.ObjectOf(id).(*types.Var)
	return ok && r.private[v]
}

// ownRange reports whether a loop goes over what nobody else has.
func (r *rewriter) ownRange(n *ast.RangeStmt) bool {
	switch r.info.TypeOf(n.X).Underlying().(type) {
	case *types.Array, *types.Basic:
		return true
	case *types.Slice:
		return r.ownSlice(n.X)
	}
	return false
}
