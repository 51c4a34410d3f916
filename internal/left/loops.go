package left

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/frames"
)

// isTest: f has a *testing.T or the like, or is in a function that has.
func isTest(f *ssa.Function) bool {
	for ; f != nil; f = f.Parent() {
		for v := range f.Signature.Params().Variables() {
			t := v.Type()
			if ptr, ok := t.(*types.Pointer); ok {
				t = ptr.Elem()
			}
			if n, ok := t.(*types.Named); ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "testing" {
				return true
			}
		}
	}
	return false
}

// endless reports whether a line of a function is in a loop that may go on for ever:
// one without a condition, one over a channel, or one that does not count.
func (p *Program) endless(f frames.Frame) bool {
	found := false
	line := func(pos token.Pos) int { return p.Source.Fset.PositionFor(pos, false).Line }
	ast.Inspect(f.Fn.Syntax(), func(n ast.Node) bool {
		switch n := n.(type) {
		case nil:
			return false
		case *ast.FuncLit:
			return n == f.Fn.Syntax()
		case *ast.ForStmt:
			if line(n.Pos()) <= f.Line && f.Line <= line(n.End()) && !p.counts(n.Cond) {
				found = true
			}
		case *ast.RangeStmt:
			if line(n.Pos()) > f.Line || f.Line > line(n.End()) {
				break
			}
			if t := p.typeOf(n.X); t != nil {
				_, ok := t.Underlying().(*types.Chan)
				found = found || ok
			}
		}
		return true
	})
	return found
}

// counts reports whether a condition compares numbers.
func (p *Program) counts(cond ast.Expr) bool {
	b, ok := ast.Unparen(cond).(*ast.BinaryExpr)
	if !ok {
		return false
	}
	if b.Op == token.LAND || b.Op == token.LOR {
		return p.counts(b.X) || p.counts(b.Y)
	}
	t := p.typeOf(b.X)
	if t == nil {
		return true
	}
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsNumeric != 0
}

func (p *Program) typeOf(e ast.Expr) types.Type {
	for _, q := range p.Source.Packages {
		if t := q.TypesInfo.TypeOf(e); t != nil {
			return t
		}
	}
	return nil
}
