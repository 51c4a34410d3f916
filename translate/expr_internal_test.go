package translate

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A place is a leaf.
type place struct{ key uint64 }

func (p *place) Key() uint64 { return p.key }

// TestSharedParts: what is done with an expression takes as long as it has parts, not as
// they occur in it as a tree, of which there may be more than anybody can count.
func TestSharedParts(t *testing.T) {
	const depth = 100
	leaf := func() *expr { return read(xVar, &place{7}, 0) }
	build := func(x, last *expr) *expr {
		e := node(xLt, x, last, nil)
		for range depth {
			e = node(xAdd, e, e, nil)
		}
		return e
	}
	x := leaf()
	e := build(x, num(1))
	require.True(t, e.same(build(x, num(1))))
	require.False(t, e.same(build(x, num(2))))

	visited := 0
	e.visit(func(*expr) { visited++ })
	require.Equal(t, depth+3, visited)

	y := leaf()
	f := e.replace(x, y)
	visited = 0
	f.visit(func(p *expr) {
		require.NotSame(t, x, p)
		visited++
	})
	require.Equal(t, depth+3, visited)
	require.Same(t, e, e.replace(leaf(), y))
	require.Nil(t, e.unknownIn())
}
