package sym_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// TestSharedParts: what is done with an expression takes as long as it has parts, not as
// they occur in it as a tree, of which there may be more than anybody can count.
func TestSharedParts(t *testing.T) {
	const depth = 100
	leaf := func() *sym.Expr { return sym.Read(sym.OpVar, &place{7}, 0) }
	build := func(x, last *sym.Expr) *sym.Expr {
		e := sym.Node(sym.OpLt, x, last, nil)
		for range depth {
			e = sym.Node(sym.OpAdd, e, e, nil)
		}
		return e
	}
	x := leaf()
	e := build(x, sym.Num(1))
	require.True(t, e.Same(build(x, sym.Num(1))))
	require.False(t, e.Same(build(x, sym.Num(2))))

	visited := 0
	e.Visit(func(*sym.Expr) { visited++ })
	require.Equal(t, depth+3, visited)

	y := leaf()
	f := e.Replace(x, y)
	visited = 0
	f.Visit(func(p *sym.Expr) {
		require.NotSame(t, x, p)
		visited++
	})
	require.Equal(t, depth+3, visited)
	require.Same(t, e, e.Replace(leaf(), y))
	require.Nil(t, e.UnknownIn())
}
