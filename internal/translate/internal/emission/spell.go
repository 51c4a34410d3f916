package emission

import (
	"math"

	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// uppaalOps gives the operators of the model language.
var uppaalOps = map[sym.Op]uppaal.Op{
	sym.OpAdd: uppaal.OpAdd, sym.OpSub: uppaal.OpSub, sym.OpMul: uppaal.OpMul, sym.OpDiv: uppaal.OpDiv, sym.OpMod: uppaal.OpMod,
	sym.OpEq: uppaal.OpEq, sym.OpLt: uppaal.OpLt, sym.OpLe: uppaal.OpLe, sym.OpAnd: uppaal.OpAnd, sym.OpOr: uppaal.OpOr,
}

// spell writes an expression without unknown parts in the model language.
func (n *namer) spell(e *sym.Expr) uppaal.Expr {
	n.written++
	switch e.Op {
	case sym.OpConst:
		return &uppaal.IntLit{Value: e.K}
	case sym.OpVar:
		return n.variable(state.VariableOf(e))
	case sym.OpCell:
		return n.cell(state.CellOf(e))
	case sym.OpMsg:
		return &uppaal.Ident{Name: n.message(e.K)}
	case sym.OpArg:
		return &uppaal.Ident{Name: n.argument(e.K)}
	case sym.OpAlloc:
		return n.allocated(state.PoolOf(e), e.K)
	case sym.OpFull:
		return &uppaal.Binary{Op: uppaal.OpEq, X: n.allocate(state.PoolOf(e), e.K), Y: &uppaal.IntLit{}}
	case sym.OpSelf:
		return n.self()
	case sym.OpNot:
		switch a := e.A; a.Op {
		case sym.OpEq:
			return &uppaal.Binary{Op: uppaal.OpNe, X: n.spell(a.A), Y: n.spell(a.B)}
		case sym.OpLt:
			return &uppaal.Binary{Op: uppaal.OpGe, X: n.spell(a.A), Y: n.spell(a.B)}
		case sym.OpLe:
			return &uppaal.Binary{Op: uppaal.OpGt, X: n.spell(a.A), Y: n.spell(a.B)}
		case sym.OpAnd:
			return &uppaal.Binary{Op: uppaal.OpOr, X: n.spell(sym.Not(a.A)), Y: n.spell(sym.Not(a.B))}
		}
		return &uppaal.Unary{Op: uppaal.OpNot, X: n.spell(e.A)}
	case sym.OpIte:
		return &uppaal.Cond{If: n.spell(e.A), Then: n.spell(e.B), Else: n.spell(e.C)}
	case sym.OpSub:
		if e.A.Is(0) {
			return &uppaal.Unary{Op: uppaal.OpNeg, X: n.spell(e.B)}
		}
	case sym.OpAdd:
		if e.B.IsConst() && e.B.K < 0 && e.B.K != math.MinInt32 {
			return &uppaal.Binary{Op: uppaal.OpSub, X: n.spell(e.A), Y: &uppaal.IntLit{Value: -e.B.K}}
		}
	}
	return &uppaal.Binary{Op: uppaalOps[e.Op], X: n.spell(e.A), Y: n.spell(e.B)}
}

// Spell is the text of an expression over variables of these names.
func Spell(e *sym.Expr, names map[*state.Variable]string) string {
	return uppaal.ExprString((&namer{vars: names}).spell(e))
}
