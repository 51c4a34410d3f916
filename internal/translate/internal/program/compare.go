package program

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// OfTime reports that a type is one of package time: durations size nothing.
func OfTime(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "time"
}

// Mirrored are the comparisons with the sides exchanged, Negated those that hold where
// others do not.
var (
	Mirrored = map[token.Token]token.Token{
		token.EQL: token.EQL, token.NEQ: token.NEQ, token.LSS: token.GTR, token.GTR: token.LSS, token.LEQ: token.GEQ, token.GEQ: token.LEQ,
	}
	Negated = map[token.Token]token.Token{
		token.EQL: token.NEQ, token.NEQ: token.EQL, token.LSS: token.GEQ, token.GEQ: token.LSS, token.LEQ: token.GTR, token.GTR: token.LEQ,
	}
)

// StepOf returns the phi that v is one more than.
func StepOf(v ssa.Value) *ssa.Phi {
	b, ok := v.(*ssa.BinOp)
	if !ok || b.Op != token.ADD {
		return nil
	}
	if c, ok := b.Y.(*ssa.Const); !ok {
		return nil
	} else if k, ok := Int32Const(c); !ok || k != 1 {
		return nil
	}
	phi, _ := b.X.(*ssa.Phi)
	return phi
}
