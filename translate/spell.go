package translate

import (
	"math"

	"github.com/vtrace/vtrace/uppaal"
)

// uppaalOps gives the operators of the model language.
var uppaalOps = map[exprOp]uppaal.Op{
	xAdd: uppaal.OpAdd, xSub: uppaal.OpSub, xMul: uppaal.OpMul, xDiv: uppaal.OpDiv, xMod: uppaal.OpMod,
	xEq: uppaal.OpEq, xLt: uppaal.OpLt, xLe: uppaal.OpLe, xAnd: uppaal.OpAnd, xOr: uppaal.OpOr,
}

// spell writes an expression without unknown parts in the model language.
func (n *namer) spell(e *expr) uppaal.Expr {
	n.x.written++
	switch e.op {
	case xConst:
		return &uppaal.IntLit{Value: e.k}
	case xVar:
		return n.variable(variableOf(e))
	case xCell:
		return n.cell(cellOf(e))
	case xMsg:
		return &uppaal.Ident{Name: n.message(e.k)}
	case xArg:
		return &uppaal.Ident{Name: n.argument(e.k)}
	case xAlloc:
		return n.allocated(poolOf(e), e.k)
	case xFull:
		return &uppaal.Binary{Op: uppaal.OpEq, X: n.allocate(poolOf(e), e.k), Y: &uppaal.IntLit{}}
	case xSelf:
		return n.self()
	case xNot:
		switch a := e.a; a.op {
		case xEq:
			return &uppaal.Binary{Op: uppaal.OpNe, X: n.spell(a.a), Y: n.spell(a.b)}
		case xLt:
			return &uppaal.Binary{Op: uppaal.OpGe, X: n.spell(a.a), Y: n.spell(a.b)}
		case xLe:
			return &uppaal.Binary{Op: uppaal.OpGt, X: n.spell(a.a), Y: n.spell(a.b)}
		case xAnd:
			return &uppaal.Binary{Op: uppaal.OpOr, X: n.spell(not(a.a)), Y: n.spell(not(a.b))}
		}
		return &uppaal.Unary{Op: uppaal.OpNot, X: n.spell(e.a)}
	case xIte:
		return &uppaal.Cond{If: n.spell(e.a), Then: n.spell(e.b), Else: n.spell(e.c)}
	case xSub:
		if e.a.is(0) {
			return &uppaal.Unary{Op: uppaal.OpNeg, X: n.spell(e.b)}
		}
	case xAdd:
		if e.b.isConst() && e.b.k < 0 && e.b.k != math.MinInt32 {
			return &uppaal.Binary{Op: uppaal.OpSub, X: n.spell(e.a), Y: &uppaal.IntLit{Value: -e.b.k}}
		}
	}
	return &uppaal.Binary{Op: uppaalOps[e.op], X: n.spell(e.a), Y: n.spell(e.b)}
}
