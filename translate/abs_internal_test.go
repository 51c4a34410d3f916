package translate

import (
	"fmt"
	"go/constant"
	"go/token"
	"math"
	"math/rand"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/uppaal"
)

// someAbs are sets of every form: nothing, small sets, sets with gaps, intervals.
func someAbs(rnd *rand.Rand) abs {
	lo := int32(rnd.Intn(70) - 35)
	switch rnd.Intn(6) {
	case 0:
		return absConst(lo)
	case 1, 2:
		var out abs
		for range 1 + rnd.Intn(5) {
			out = out.join(absConst(lo+int32(rnd.Intn(12))), maxRefSet)
		}
		return out
	case 3:
		return absRange(lo, lo+int32(rnd.Intn(2*maxSet)))
	case 4:
		return abs{iv: true, lo: lo, hi: lo + int32(rnd.Intn(60))}
	}
	return absRange(lo, lo+int32(rnd.Intn(6))-1)
}

// elems lists the elements of a set that is not top.
func elems(a abs) (out []int32) {
	if !a.iv {
		return append(out, a.set...)
	}
	for k := a.lo; k <= a.hi; k++ {
		out = append(out, k)
	}
	return out
}

func keptOf(a abs, keep func(int32) bool) (out []int32) {
	for _, k := range elems(a) {
		if keep(k) {
			out = append(out, k)
		}
	}
	return out
}

// TestAbs compares operations on sets with what they do to their elements.
func TestAbs(t *testing.T) {
	rnd := rand.New(rand.NewSource(1))
	union := func(a, b abs) []int32 {
		out := append(elems(a), elems(b)...)
		slices.Sort(out)
		return slices.Compact(out)
	}
	for range 3000 {
		a, b := someAbs(rnd), someAbs(rnd)
		at := fmt.Sprintf("%+v %+v", a, b)
		for _, k := range elems(a) {
			require.True(t, a.has(k) && absTop().has(k))
		}
		all := union(a, b)
		require.Equal(t, slices.Equal(elems(a), elems(b)) && a.iv == b.iv, a.equal(b), at)
		within := a.within(b)
		require.False(t, within && !slices.Equal(all, elems(b)), at)
		if a.iv == b.iv || !a.iv {
			require.Equal(t, slices.Equal(all, elems(b)), within, at)
		}
		require.True(t, a.within(absTop()) && !absTop().within(a) && absTop().within(absTop()))

		limit := 1 + rnd.Intn(30)
		j := a.join(b, limit)
		require.Subset(t, append(elems(j), math.MaxInt32), all, at)
		require.True(t, a.join(absTop(), limit).top && absTop().join(a, limit).top || a.empty())
		switch {
		case a.empty() || b.empty():
		case !a.iv && !b.iv && len(all) <= limit:
			require.Equal(t, all, elems(j), at)
			require.False(t, j.iv, at)
		default:
			lo, hi := j.bounds()
			require.True(t, j.iv && lo == all[0] && hi == all[len(all)-1], at)
		}

		even := func(k int32) bool { return k%2 == 0 }
		f, kept := a.filter(even), keptOf(a, even)
		if a.iv && len(kept) > maxSet {
			lo, hi := f.bounds()
			require.True(t, f.iv && lo == kept[0] && hi == kept[len(kept)-1], at)
		} else {
			require.Equal(t, kept, elems(f), at)
		}
		lo := int64(rnd.Intn(80) - 40)
		hi := lo + int64(rnd.Intn(40)) - 2
		require.Equal(t, keptOf(a, func(k int32) bool { return lo <= int64(k) && int64(k) <= hi }), elems(a.clamp(lo, hi)), "%s %d %d", at, lo, hi)
	}
	gap := abs{set: []int32{1, 3}}
	require.True(t, !abs{iv: true, lo: 1, hi: 3}.within(gap) && gap.within(abs{iv: true, lo: 1, hi: 3}))
	require.True(t, absRange(0, 4).join(absConst(2), 4).iv && !absRange(0, 4).join(absConst(2), 5).iv)
	require.Equal(t, []int32{1, 2, 3}, elems(absTop().clamp(1, 3)))
	require.True(t, absTop().clamp(math.MinInt32, 0).top && absTop().clamp(0, 1<<40).top && absTop().filter(func(int32) bool { return false }).top)
	wide := abs{iv: true, lo: 0, hi: 1 << 13}
	require.Equal(t, wide, wide.filter(func(k int32) bool { return k > 5 }))
}

// TestWiden: a set that grows comes to an end, has all that was in it, and ends in constants
// of the program.
func TestWiden(t *testing.T) {
	thresholds := []int32{-100, -10, 0, 10, 50, 1000}
	for _, step := range []int32{1, -1} {
		a, changes := abs{}, 0
		for k := range int32(100) {
			b := a.widen(absConst(step*k), 4, thresholds)
			require.True(t, a.within(b) && b.has(step*k))
			if !a.equal(b) {
				changes++
				if b.iv {
					lo, hi := b.bounds()
					require.True(t, step > 0 && lo == 0 && slices.Contains(thresholds, hi) || step < 0 && hi == 0 && slices.Contains(thresholds, lo), "%+v", b)
				}
			}
			a = b
		}
		require.LessOrEqual(t, changes, 4+3)
		require.True(t, a.widen(absConst(step*1001), 4, thresholds).top)
	}
	for _, k := range []int32{10, -10} { // as far as the next constant, and no further
		lo, hi := absConst(0).widen(absConst(k), 1, thresholds).bounds()
		require.True(t, lo == min(0, k) && hi == max(0, k))
	}
	require.True(t, abs{}.widen(abs{iv: true, lo: 0, hi: maxWidth + 1}, 4, nil).top)
	require.False(t, abs{}.widen(abs{iv: true, lo: 0, hi: maxWidth}, 4, nil).top)
	require.True(t, absConst(0).widen(abs{iv: true, lo: 0, hi: 30}, 4, []int32{maxWidth + 1}).top)
}

// TestAbsOf compares what an operation can give with what it gives for the elements of what
// its operands can be.
func TestAbsOf(t *testing.T) {
	rnd := rand.New(rand.NewSource(1))
	u, v, w := read(xVar, &variable{id: 1}, 0), read(xVar, &variable{id: 2}, 0), read(xVar, &variable{id: 3}, 0)
	for range 1500 {
		can := map[*expr]abs{u: someAbs(rnd), v: someAbs(rnd), w: someAbs(rnd)}
		for _, op := range []exprOp{xAdd, xSub, xMul, xDiv, xMod, xEq, xLt, xLe, xAnd, xOr, xNot, xIte} {
			at := fmt.Sprintf("%d %+v", op, can)
			conds := elems(can[w])
			if lo, _ := can[u].bounds(); op == xNot && lo < 0 {
				continue // a condition is none or one
			}
			e := node(op, u, v, nil)
			switch op {
			case xNot:
				e = node(op, u, nil, nil)
			case xIte:
				e = node(op, w, u, v)
			}
			var results []int32
			add := func(z int64) { results = append(results, int32(z)) }
			truth := func(b bool) {
				if b {
					add(1)
				} else {
					add(0)
				}
			}
			for _, x := range elems(can[u]) {
				if op == xNot {
					truth(x == 0)
				}
				for _, y := range elems(can[v]) {
					switch op {
					case xNot:
					case xAnd:
						truth(x != 0 && y != 0)
					case xOr:
						truth(x != 0 || y != 0)
					case xIte:
						for _, c := range conds {
							if c != 0 {
								add(int64(x))
							} else {
								add(int64(y))
							}
						}
					default:
						if z, ok := apply(op, int64(x), int64(y)); ok {
							add(z)
						}
					}
				}
			}
			slices.Sort(results)
			results = slices.Compact(results)
			a := absOf(e, func(e *expr) abs { return can[e] })
			if a.top {
				// There is no bound on what is divided by what may be zero, or less.
				lo, _ := can[v].bounds()
				require.True(t, (op == xDiv || op == xMod) && lo <= 0, at)
				continue
			}
			for _, k := range results {
				require.True(t, a.has(k), "%s: %d", at, k)
			}
			exact := !can[u].iv && !can[v].iv && !can[w].iv && op != xNot && (op != xIte || len(results) > 0)
			if op == xEq || op == xLt || op == xLe {
				exact = can[u].iv == can[v].iv
			}
			if exact {
				require.Equal(t, results, elems(a), at)
			}
			if (op == xAdd || op == xSub || op == xMul || op == xIte) && len(results) > 0 && !can[u].empty() && !can[v].empty() && !can[w].empty() {
				lo, hi := a.bounds()
				require.True(t, lo == results[0] && hi == results[len(results)-1], at)
			}
		}
	}
	is := func(a, b abs, op exprOp) abs {
		return absOf(node(op, u, v, nil), func(e *expr) abs { return map[*expr]abs{u: a, v: b}[e] })
	}
	big := absConst(math.MaxInt32)
	require.True(t, is(big, absConst(1), xAdd).top && is(absConst(math.MinInt32), absConst(1), xSub).top)
	require.True(t, is(abs{iv: true, lo: 0, hi: math.MaxInt32}, absRange(0, 1), xAdd).top && is(abs{iv: true, lo: math.MinInt32, hi: 0}, absRange(-1, 0), xAdd).top)
	require.True(t, is(absTop(), absConst(1), xAdd).top && is(absConst(1), absTop(), xLt).top && is(absConst(1), absConst(0), xDiv).empty())
	require.True(t, is(absTop(), absConst(0), xAnd).equal(absConst(0)) && is(absTop(), absConst(1), xAnd).equal(absBool()))
}

// pathOf is a path on which variables can be what is given.
func pathOf(can map[*expr]abs) *path {
	return &path{x: &translator{}, knowledge: knowledge{narrow: table[*expr, abs]{m: can}, epoch: 1}}
}

// TestSuppose: what is known of variables after a condition has all values with which it
// holds, and no others where it compares one with a constant.
func TestSuppose(t *testing.T) {
	rnd := rand.New(rand.NewSource(1))
	vars := []*variable{{id: 1, name: "u"}, {id: 2, name: "v"}}
	for _, v := range vars {
		v.x = read(xVar, v, 0)
	}
	u, v := vars[0].x, vars[1].x
	side := func() *expr {
		e := []*expr{u, v, num(int32(rnd.Intn(60) - 30))}[rnd.Intn(3)]
		if rnd.Intn(3) == 0 {
			return arith(xAdd, e, num(int32(rnd.Intn(5)-2)))
		}
		return e
	}
	var cond func(depth int) *expr
	cond = func(depth int) *expr {
		switch k := rnd.Intn(5); {
		case depth == 0 || k < 3:
			return arith([]exprOp{xEq, xLt, xLe}[rnd.Intn(3)], side(), side())
		case k == 3:
			return not(cond(depth - 1))
		}
		return and(cond(depth-1), cond(depth-1))
	}
	for range 3000 {
		can := map[*expr]abs{u: someAbs(rnd), v: someAbs(rnd)}
		c := cond(2)
		at := fmt.Sprintf("%v %+v", uppaal.ExprString((&namer{x: &translator{}, vars: map[*variable]string{vars[0]: "u", vars[1]: "v"}}).spell(c)), can)
		p := pathOf(map[*expr]abs{u: can[u], v: can[v]})
		holds, kept := p.suppose(c), [2][]int32{}
		some := false
		for _, x := range elems(can[u]) {
			for _, y := range elems(can[v]) {
				if valueOf(c, map[*variable]int32{vars[0]: x, vars[1]: y}) == 0 {
					continue
				}
				some = true
				kept[0], kept[1] = append(kept[0], x), append(kept[1], y)
				require.True(t, holds && p.abs(u).has(x) && p.abs(v).has(y), "%s: %d %d", at, x, y)
			}
		}
		require.True(t, p.abs(u).within(can[u]) || can[u].iv, at)
		one := (c.op == xEq || c.op == xLt || c.op == xLe) && (c.a == u && c.b.isConst() || c.b == u && c.a.isConst())
		if some && one {
			require.Equal(t, slices.Compact(kept[0]), elems(p.abs(u)), at)
		}
	}
}

// TestSupposeNot: of two conditions that do not hold both, one that does rules out the other.
func TestSupposeNot(t *testing.T) {
	u, v := read(xVar, &variable{id: 1}, 0), read(xVar, &variable{id: 2}, 0)
	small, two := arith(xLt, u, num(9)), eq(v, 2)
	for _, both := range []*expr{and(small, two), and(two, small)} {
		p := pathOf(map[*expr]abs{u: absRange(0, 3), v: absRange(0, 3)})
		require.True(t, p.suppose(not(both)))
		require.Equal(t, []int32{0, 1, 3}, elems(p.abs(v)))
		require.Equal(t, []int32{0, 1, 2, 3}, elems(p.abs(u)))
	}
}

// TestBits compares bit operations on a number that is not known, by one that is, and by one
// that is not, with those of Go.
func TestBits(t *testing.T) {
	v, w := &variable{id: 1}, &variable{id: 2}
	v.x, w.x = read(xVar, v, 0), read(xVar, w, 0)
	ops := []token.Token{token.AND, token.OR, token.XOR, token.AND_NOT, token.SHL, token.SHR}
	numbers := []abs{absRange(-4, 3), absRange(0, 9), {iv: true, lo: 0, hi: 200}, {iv: true, lo: -70, hi: 60}, {set: []int32{-1 << 30, 7, 1 << 30}}}
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
			few := !a.iv && len(a.set) <= maxBits
			p := pathOf(map[*expr]abs{v.x: a, w.x: absRange(0, 4)})
			for _, k := range masks {
				at := fmt.Sprintf("%+v %s %d", a, op, k)
				e := p.bits(op, v.x, num(k))
				all := true
				for _, x := range elems(a) {
					if z, ok := of(op, x, k); !ok {
						all = false
					} else if e.unknownIn() == nil && int64(int32(x))<<max(0, k) == int64(x)<<max(0, k) {
						require.EqualValues(t, z, valueOf(e, map[*variable]int32{v: x}), "%s: %d", at, x)
					}
				}
				if e.unknownIn() == nil {
					known[op]++
				}
				if few && all {
					require.Nil(t, e.unknownIn(), at)
				}
				if few && !all && op != token.SHL {
					require.NotNil(t, e.unknownIn(), at)
				}
			}
			e := p.bits(op, v.x, w.x)
			if e.unknownIn() != nil {
				continue
			}
			for _, x := range elems(a) {
				for y := range int32(5) {
					if z, ok := of(op, x, y); ok {
						require.EqualValues(t, z, valueOf(e, map[*variable]int32{v: x, w: y}), "%d %s %d", x, op, y)
					}
				}
			}
		}
		require.NotZero(t, known[op])
	}
	wide := pathOf(map[*expr]abs{v.x: {iv: true, lo: -70, hi: 200}})
	for _, form := range []struct {
		op token.Token
		k  int32
	}{{token.AND, 0}, {token.AND, 1}, {token.AND, 63}, {token.SHL, 3}} {
		require.Nil(t, wide.bits(form.op, v.x, num(form.k)).unknownIn(), form.op)
	}
	require.NotNil(t, wide.bits(token.OR, v.x, num(1)).unknownIn())
	unsigned := pathOf(map[*expr]abs{v.x: {iv: true, lo: 0, hi: 200}})
	require.Nil(t, unsigned.bits(token.SHR, v.x, num(3)).unknownIn())
	require.NotNil(t, pathOf(map[*expr]abs{v.x: absTop()}).bits(token.AND, v.x, num(1)).unknownIn())
}
