package exploration

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// valueOf evaluates an expression.
func valueOf(e *sym.Expr, vars map[*state.Variable]int32) int32 {
	switch e.Op {
	case sym.OpConst:
		return e.K
	case sym.OpVar:
		return vars[state.VariableOf(e)]
	case sym.OpNot:
		return 1 - min(1, valueOf(e.A, vars))
	case sym.OpAnd:
		return valueOf(e.A, vars) * valueOf(e.B, vars)
	case sym.OpIte:
		if valueOf(e.A, vars) != 0 {
			return valueOf(e.B, vars)
		}
		return valueOf(e.C, vars)
	}
	z, ok := sym.Apply(e.Op, int64(valueOf(e.A, vars)), int64(valueOf(e.B, vars)))
	if !ok {
		panic("undefined")
	}
	return int32(z)
}

// TestExprRules compares expressions as they are built, simplified, with what
// was asked for, for all values of the variables.
func TestExprRules(t *testing.T) {
	rnd := rand.New(rand.NewSource(1))
	var vars []*state.Variable
	for i := range 3 {
		v := &state.Variable{ID: uint64(i), Name: fmt.Sprint("v", i)}
		v.Expr = sym.Read(sym.OpVar, v, 0)
		vars = append(vars, v)
	}
	// What was asked for is a function of the state.
	type made struct {
		e  *sym.Expr
		is func(map[*state.Variable]int32) int32
	}
	truth := func(b bool) int32 {
		if b {
			return 1
		}
		return 0
	}
	var number, condition func(depth int) made
	number = func(depth int) made {
		switch k := rnd.Intn(6); {
		case depth == 0 && k < 3:
			v := vars[rnd.Intn(len(vars))]
			return made{v.Expr, func(s map[*state.Variable]int32) int32 { return s[v] }}
		case depth == 0:
			n := int32(rnd.Intn(4) - 1)
			return made{sym.Num(n), func(map[*state.Variable]int32) int32 { return n }}
		case k < 3:
			c, a, b := condition(depth-1), number(depth-1), number(depth-1)
			return made{sym.Ite(c.e, a.e, b.e), func(s map[*state.Variable]int32) int32 {
				if c.is(s) != 0 {
					return a.is(s)
				}
				return b.is(s)
			}}
		}
		op := []sym.Op{sym.OpAdd, sym.OpSub, sym.OpMul}[rnd.Intn(3)]
		a, b := number(depth-1), number(depth-1)
		if op != sym.OpMul && rnd.Intn(2) == 0 {
			b = number(0)
		}
		return made{sym.Arith(op, a.e, b.e), func(s map[*state.Variable]int32) int32 {
			z, _ := sym.Apply(op, int64(a.is(s)), int64(b.is(s)))
			return int32(z)
		}}
	}
	condition = func(depth int) made {
		switch k := rnd.Intn(6); {
		case depth == 0 || k < 3:
			op := []sym.Op{sym.OpEq, sym.OpLt, sym.OpLe}[rnd.Intn(3)]
			a, b := number(max(0, depth-1)), number(rnd.Intn(1+depth/2))
			return made{sym.Arith(op, a.e, b.e), func(s map[*state.Variable]int32) int32 {
				z, _ := sym.Apply(op, int64(a.is(s)), int64(b.is(s)))
				return int32(z)
			}}
		case k == 3:
			a := condition(depth - 1)
			return made{sym.Not(a.e), func(s map[*state.Variable]int32) int32 { return 1 - a.is(s) }}
		case k == 4:
			a, b := condition(depth-1), condition(depth-1)
			return made{sym.Or(a.e, b.e), func(s map[*state.Variable]int32) int32 { return truth(a.is(s)+b.is(s) > 0) }}
		}
		c, a, b := condition(depth-1), condition(depth-1), condition(depth-1)
		return made{sym.Choice(c.e, a.e, b.e), func(s map[*state.Variable]int32) int32 {
			if c.is(s) != 0 {
				return a.is(s)
			}
			return b.is(s)
		}}
	}
	check := func(m made) {
		for n := range int32(64) {
			s := map[*state.Variable]int32{vars[0]: n%4 - 1, vars[1]: n/4%4 - 1, vars[2]: n/16 - 1}
			require.Equal(t, m.is(s), valueOf(m.e, s), "%v", s)
		}
	}
	for range 4000 {
		check(number(4))
		check(condition(4))
	}
}

// TestKnown checks that values on both sides of a comparison with constants are
// the value compared, at the same distance.
func TestKnown(t *testing.T) {
	v := &state.Variable{Name: "v", Abs: sym.Set{Elems: []int32{3, 8}}}
	v.Expr = sym.Read(sym.OpVar, v, 0)
	x := &Explorer{}
	p := &Path{Explorer: x, Knowledge: Knowledge{narrow: table[*sym.Expr, sym.Set]{m: map[*sym.Expr]sym.Set{v.Expr: sym.Single(3)}}, epoch: 1}}
	q := &Path{Explorer: x, Knowledge: Knowledge{narrow: table[*sym.Expr, sym.Set]{m: map[*sym.Expr]sym.Set{v.Expr: sym.Single(8)}}, epoch: 2}}
	m := merging{p: p, q: q, c: Eq(v.Expr, 3)}
	require.True(t, m.value(sym.Num(3), sym.Num(8), nil).Same(v.Expr))
	require.True(t, m.value(sym.Num(5), sym.Num(10), nil).Same(sym.Arith(sym.OpAdd, v.Expr, sym.Num(2))))
	other := m.value(sym.Num(5), sym.Num(9), nil)
	chosen := *sym.Node(sym.OpIte, m.c, sym.Num(5), sym.Num(9))
	chosen.Merged = true
	require.True(t, other.Same(&chosen))
	u := sym.Unknown("one")
	require.Same(t, u, m.value(u, u, nil))
	require.Nil(t, m.value(u, sym.Num(1), nil))
	w := m.value(u, sym.Unknown("two"), nil)
	require.NotSame(t, u, w)
	require.Equal(t, sym.OpUnknown, w.Op)
}
