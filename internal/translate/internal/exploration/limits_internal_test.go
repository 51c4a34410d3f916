package exploration

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// A number that is counted in branches of a loop is an expression whose parts occur again and again: as a tree it would have more
// parts than can be looked at.
func TestLossesOfSharedParts(t *testing.T) {
	cell := func(id int32, hi int32, confined bool) *state.Cell {
		c := &state.Cell{Addr: id, Abs: sym.Set{Interval: true, Lo: 0, Hi: hi}, Confined: confined}
		c.Expr = sym.Read(sym.OpCell, c, 0)
		return c
	}
	v := &state.Variable{ID: 1, Name: "v"}
	v.Expr = sym.Read(sym.OpVar, v, 0)
	sum := func(e *sym.Expr) *sym.Expr {
		for i := range int32(100) {
			e = sym.Node(sym.OpIte, sym.Arith(sym.OpEq, v.Expr, sym.Num(i)), sym.Node(sym.OpAdd, e, e, nil), e)
		}
		return e
	}
	choice := func(e *sym.Expr) *sym.Expr {
		for i := range int32(100) {
			f := sym.Node(sym.OpIte, sym.Arith(sym.OpEq, v.Expr, sym.Num(2*i)), e, sym.Num(0))
			e = sym.Node(sym.OpIte, sym.Arith(sym.OpEq, v.Expr, sym.Num(2*i+1)), e, f)
		}
		return e
	}
	limited, free := cell(1, 5, true), cell(2, 5, false)
	p := pathOf(map[*sym.Expr]sym.Set{limited.Expr: limited.Abs, free.Expr: free.Abs})
	require.False(t, p.MayBeSaturated(sum(free.Expr)))
	require.True(t, p.MayBeSaturated(sum(limited.Expr)))
	require.Nil(t, p.SaturatedIf(sum(limited.Expr)), "of a sum no condition says it")
	require.Nil(t, p.SaturatedIf(choice(free.Expr)))
	require.NotNil(t, p.SaturatedIf(choice(limited.Expr)))
	require.False(t, otherLimits(choice(limited.Expr), 5))
	require.True(t, otherLimits(choice(limited.Expr), 6))
	require.False(t, otherLimits(choice(free.Expr), 6))
}
