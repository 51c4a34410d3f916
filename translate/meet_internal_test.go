package translate

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"
)

// valueOf evaluates an expression.
func valueOf(e *expr, vars map[*variable]int32) int32 {
	switch e.op {
	case xConst:
		return e.k
	case xVar:
		return vars[variableOf(e)]
	case xNot:
		return 1 - min(1, valueOf(e.a, vars))
	case xAnd:
		return valueOf(e.a, vars) * valueOf(e.b, vars)
	case xIte:
		if valueOf(e.a, vars) != 0 {
			return valueOf(e.b, vars)
		}
		return valueOf(e.c, vars)
	}
	z, ok := apply(e.op, int64(valueOf(e.a, vars)), int64(valueOf(e.b, vars)))
	if !ok {
		panic("undefined")
	}
	return int32(z)
}

// TestExprRules compares expressions as they are built, simplified, with what
// was asked for, for all values of the variables.
func TestExprRules(t *testing.T) {
	rnd := rand.New(rand.NewSource(1))
	var vars []*variable
	for i := range 3 {
		v := &variable{id: uint64(i), name: fmt.Sprint("v", i)}
		v.x = read(xVar, v, 0)
		vars = append(vars, v)
	}
	// What was asked for is a function of the state.
	type made struct {
		e  *expr
		is func(map[*variable]int32) int32
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
			return made{v.x, func(s map[*variable]int32) int32 { return s[v] }}
		case depth == 0:
			n := int32(rnd.Intn(4) - 1)
			return made{num(n), func(map[*variable]int32) int32 { return n }}
		case k < 3:
			c, a, b := condition(depth-1), number(depth-1), number(depth-1)
			return made{ite(c.e, a.e, b.e), func(s map[*variable]int32) int32 {
				if c.is(s) != 0 {
					return a.is(s)
				}
				return b.is(s)
			}}
		}
		op := []exprOp{xAdd, xSub, xMul}[rnd.Intn(3)]
		a, b := number(depth-1), number(depth-1)
		if op != xMul && rnd.Intn(2) == 0 {
			b = number(0)
		}
		return made{arith(op, a.e, b.e), func(s map[*variable]int32) int32 {
			z, _ := apply(op, int64(a.is(s)), int64(b.is(s)))
			return int32(z)
		}}
	}
	condition = func(depth int) made {
		switch k := rnd.Intn(6); {
		case depth == 0 || k < 3:
			op := []exprOp{xEq, xLt, xLe}[rnd.Intn(3)]
			a, b := number(max(0, depth-1)), number(rnd.Intn(1+depth/2))
			return made{arith(op, a.e, b.e), func(s map[*variable]int32) int32 {
				z, _ := apply(op, int64(a.is(s)), int64(b.is(s)))
				return int32(z)
			}}
		case k == 3:
			a := condition(depth - 1)
			return made{not(a.e), func(s map[*variable]int32) int32 { return 1 - a.is(s) }}
		case k == 4:
			a, b := condition(depth-1), condition(depth-1)
			return made{or(a.e, b.e), func(s map[*variable]int32) int32 { return truth(a.is(s)+b.is(s) > 0) }}
		}
		c, a, b := condition(depth-1), condition(depth-1), condition(depth-1)
		return made{choice(c.e, a.e, b.e), func(s map[*variable]int32) int32 {
			if c.is(s) != 0 {
				return a.is(s)
			}
			return b.is(s)
		}}
	}
	check := func(m made) {
		for n := range int32(64) {
			s := map[*variable]int32{vars[0]: n%4 - 1, vars[1]: n/4%4 - 1, vars[2]: n/16 - 1}
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
	v := &variable{name: "v", abs: abs{set: []int32{3, 8}}}
	v.x = read(xVar, v, 0)
	x := &translator{}
	p := &path{x: x, knowledge: knowledge{narrow: table[*expr, abs]{m: map[*expr]abs{v.x: absConst(3)}}, epoch: 1}}
	q := &path{x: x, knowledge: knowledge{narrow: table[*expr, abs]{m: map[*expr]abs{v.x: absConst(8)}}, epoch: 2}}
	j := joining{p: p, q: q, c: eq(v.x, 3)}
	require.True(t, j.value(num(3), num(8), nil).same(v.x))
	require.True(t, j.value(num(5), num(10), nil).same(arith(xAdd, v.x, num(2))))
	other := j.value(num(5), num(9), nil)
	chosen := *node(xIte, j.c, num(5), num(9))
	chosen.joined = true
	require.True(t, other.same(&chosen))
	u := unknown("one")
	require.Same(t, u, j.value(u, u, nil))
	require.Nil(t, j.value(u, num(1), nil))
	w := j.value(u, unknown("two"), nil)
	require.NotSame(t, u, w)
	require.Equal(t, xUnknown, w.op)
}
