package exploration

import (
	"fmt"
	"go/constant"
	"go/token"
	"math/rand"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/translate/internal/emission"
	"github.com/vtrace/vtrace/internal/translate/internal/state"
	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// someSet are sets of every form: nothing, small sets, sets with gaps, intervals.
func someSet(rnd *rand.Rand) sym.Set {
	lo := int32(rnd.Intn(70) - 35)
	switch rnd.Intn(6) {
	case 0:
		return sym.Single(lo)
	case 1, 2:
		var out sym.Set
		for range 1 + rnd.Intn(5) {
			out = out.Join(sym.Single(lo+int32(rnd.Intn(12))), sym.MaxRefSet)
		}
		return out
	case 3:
		return sym.Range(lo, lo+int32(rnd.Intn(2*sym.MaxSet)))
	case 4:
		return sym.Set{Interval: true, Lo: lo, Hi: lo + int32(rnd.Intn(60))}
	}
	return sym.Range(lo, lo+int32(rnd.Intn(6))-1)
}

// elems lists the elements of a set that is not top.
func elems(a sym.Set) (out []int32) {
	if !a.Interval {
		return append(out, a.Elems...)
	}
	for k := a.Lo; k <= a.Hi; k++ {
		out = append(out, k)
	}
	return out
}

// pathOf is a path on which variables can be what is given.
func pathOf(can map[*sym.Expr]sym.Set) *Path {
	return &Path{Explorer: &Explorer{}, Knowledge: Knowledge{narrow: table[*sym.Expr, sym.Set]{m: can}, epoch: 1}}
}

// TestSuppose: what is known of variables after a condition has all values with which it
// holds, and no others where it compares one with a constant.
func TestSuppose(t *testing.T) {
	rnd := rand.New(rand.NewSource(1))
	vars := []*state.Variable{{ID: 1, Name: "u"}, {ID: 2, Name: "v"}}
	for _, v := range vars {
		v.Expr = sym.Read(sym.OpVar, v, 0)
	}
	u, v := vars[0].Expr, vars[1].Expr
	side := func() *sym.Expr {
		e := []*sym.Expr{u, v, sym.Num(int32(rnd.Intn(60) - 30))}[rnd.Intn(3)]
		if rnd.Intn(3) == 0 {
			return sym.Arith(sym.OpAdd, e, sym.Num(int32(rnd.Intn(5)-2)))
		}
		return e
	}
	var cond func(depth int) *sym.Expr
	cond = func(depth int) *sym.Expr {
		switch k := rnd.Intn(5); {
		case depth == 0 || k < 3:
			return sym.Arith([]sym.Op{sym.OpEq, sym.OpLt, sym.OpLe}[rnd.Intn(3)], side(), side())
		case k == 3:
			return sym.Not(cond(depth - 1))
		}
		return sym.And(cond(depth-1), cond(depth-1))
	}
	for range 3000 {
		can := map[*sym.Expr]sym.Set{u: someSet(rnd), v: someSet(rnd)}
		c := cond(2)
		at := fmt.Sprintf("%v %+v", emission.Spell(c, map[*state.Variable]string{vars[0]: "u", vars[1]: "v"}), can)
		p := pathOf(map[*sym.Expr]sym.Set{u: can[u], v: can[v]})
		holds, kept := p.suppose(c), [2][]int32{}
		some := false
		for _, x := range elems(can[u]) {
			for _, y := range elems(can[v]) {
				if valueOf(c, map[*state.Variable]int32{vars[0]: x, vars[1]: y}) == 0 {
					continue
				}
				some = true
				kept[0], kept[1] = append(kept[0], x), append(kept[1], y)
				require.True(t, holds && p.Abs(u).Has(x) && p.Abs(v).Has(y), "%s: %d %d", at, x, y)
			}
		}
		require.True(t, p.Abs(u).Within(can[u]) || can[u].Interval, at)
		one := (c.Op == sym.OpEq || c.Op == sym.OpLt || c.Op == sym.OpLe) && (c.A == u && c.B.IsConst() || c.B == u && c.A.IsConst())
		if some && one {
			require.Equal(t, slices.Compact(kept[0]), elems(p.Abs(u)), at)
		}
	}
}

// TestSupposeNot: of two conditions that do not hold both, one that does rules out the other.
func TestSupposeNot(t *testing.T) {
	u, v := sym.Read(sym.OpVar, &state.Variable{ID: 1}, 0), sym.Read(sym.OpVar, &state.Variable{ID: 2}, 0)
	small, two := sym.Arith(sym.OpLt, u, sym.Num(9)), Eq(v, 2)
	for _, both := range []*sym.Expr{sym.And(small, two), sym.And(two, small)} {
		p := pathOf(map[*sym.Expr]sym.Set{u: sym.Range(0, 3), v: sym.Range(0, 3)})
		require.True(t, p.suppose(sym.Not(both)))
		require.Equal(t, []int32{0, 1, 3}, elems(p.Abs(v)))
		require.Equal(t, []int32{0, 1, 2, 3}, elems(p.Abs(u)))
	}
}

// TestBits compares bit operations on a number that is not known, by one that is, and by one
// that is not, with those of Go.
func TestBits(t *testing.T) {
	v, w := &state.Variable{ID: 1}, &state.Variable{ID: 2}
	v.Expr, w.Expr = sym.Read(sym.OpVar, v, 0), sym.Read(sym.OpVar, w, 0)
	ops := []token.Token{token.AND, token.OR, token.XOR, token.AND_NOT, token.SHL, token.SHR}
	numbers := []sym.Set{sym.Range(-4, 3), sym.Range(0, 9), {Interval: true, Lo: 0, Hi: 200}, {Interval: true, Lo: -70, Hi: 60}, {Elems: []int32{-1 << 30, 7, 1 << 30}}}
	masks := []int32{-3, -1, 0, 1, 2, 3, 4, 7, 30, 31, 32, 40}
	of := func(op token.Token, x, y int32) (z int64, ok bool) {
		if op == token.SHL || op == token.SHR {
			if y < 0 || op == token.SHL && y > 31 {
				return 0, false
			}
			c := constant.Shift(constant.MakeInt64(int64(x)), op, uint(y))
			z, ok = constant.Int64Val(c)
		} else {
			z, ok = constant.Int64Val(constant.BinaryOp(constant.MakeInt64(int64(x)), op, constant.MakeInt64(int64(y))))
		}
		return z, ok && int64(int32(z)) == z
	}
	known := map[token.Token]int{}
	for _, op := range ops {
		for _, a := range numbers {
			few := !a.Interval && len(a.Elems) <= maxBits
			p := pathOf(map[*sym.Expr]sym.Set{v.Expr: a, w.Expr: sym.Range(0, 4)})
			for _, k := range masks {
				at := fmt.Sprintf("%+v %s %d", a, op, k)
				e := p.Bits(op, v.Expr, sym.Num(k))
				all := true
				for _, x := range elems(a) {
					if z, ok := of(op, x, k); !ok {
						all = false
					} else if e.UnknownIn() == nil && int64(int32(x))<<max(0, k) == int64(x)<<max(0, k) {
						require.EqualValues(t, z, valueOf(e, map[*state.Variable]int32{v: x}), "%s: %d", at, x)
					}
				}
				if e.UnknownIn() == nil {
					known[op]++
				}
				if few && all {
					require.Nil(t, e.UnknownIn(), at)
				}
				if few && !all && op != token.SHL {
					require.NotNil(t, e.UnknownIn(), at)
				}
			}
			e := p.Bits(op, v.Expr, w.Expr)
			if e.UnknownIn() != nil {
				continue
			}
			for _, x := range elems(a) {
				for y := range int32(5) {
					if z, ok := of(op, x, y); ok {
						require.EqualValues(t, z, valueOf(e, map[*state.Variable]int32{v: x, w: y}), "%d %s %d", x, op, y)
					}
				}
			}
		}
		require.NotZero(t, known[op])
	}
	wide := pathOf(map[*sym.Expr]sym.Set{v.Expr: {Interval: true, Lo: -70, Hi: 200}})
	for _, form := range []struct {
		op token.Token
		k  int32
	}{{token.AND, 0}, {token.AND, 1}, {token.AND, 63}, {token.SHL, 3}} {
		require.Nil(t, wide.Bits(form.op, v.Expr, sym.Num(form.k)).UnknownIn(), form.op)
	}
	require.NotNil(t, wide.Bits(token.OR, v.Expr, sym.Num(1)).UnknownIn())
	unsigned := pathOf(map[*sym.Expr]sym.Set{v.Expr: {Interval: true, Lo: 0, Hi: 200}})
	require.Nil(t, unsigned.Bits(token.SHR, v.Expr, sym.Num(3)).UnknownIn())
	require.NotNil(t, pathOf(map[*sym.Expr]sym.Set{v.Expr: sym.Anything()}).Bits(token.AND, v.Expr, sym.Num(1)).UnknownIn())
}
