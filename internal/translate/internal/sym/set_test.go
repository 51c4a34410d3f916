package sym_test

import (
	"fmt"
	"math"
	"math/rand"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/translate/internal/sym"
)

// A place is a leaf.
type place struct{ key uint64 }

func (p *place) Key() uint64 { return p.key }

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

func keptOf(a sym.Set, keep func(int32) bool) (out []int32) {
	for _, k := range elems(a) {
		if keep(k) {
			out = append(out, k)
		}
	}
	return out
}

// TestSet compares operations on sets with what they do to their elements.
func TestSet(t *testing.T) {
	rnd := rand.New(rand.NewSource(1))
	union := func(a, b sym.Set) []int32 {
		out := append(elems(a), elems(b)...)
		slices.Sort(out)
		return slices.Compact(out)
	}
	for range 3000 {
		a, b := someSet(rnd), someSet(rnd)
		at := fmt.Sprintf("%+v %+v", a, b)
		for _, k := range elems(a) {
			require.True(t, a.Has(k) && sym.Anything().Has(k))
		}
		all := union(a, b)
		require.Equal(t, slices.Equal(elems(a), elems(b)) && a.Interval == b.Interval, a.Equal(b), at)
		within := a.Within(b)
		require.False(t, within && !slices.Equal(all, elems(b)), at)
		if a.Interval == b.Interval || !a.Interval {
			require.Equal(t, slices.Equal(all, elems(b)), within, at)
		}
		require.True(t, a.Within(sym.Anything()) && !sym.Anything().Within(a) && sym.Anything().Within(sym.Anything()))

		limit := 1 + rnd.Intn(30)
		j := a.Join(b, limit)
		require.Subset(t, append(elems(j), math.MaxInt32), all, at)
		require.True(t, a.Join(sym.Anything(), limit).Top && sym.Anything().Join(a, limit).Top || a.Empty())
		switch {
		case a.Empty() || b.Empty():
		case !a.Interval && !b.Interval && len(all) <= limit:
			require.Equal(t, all, elems(j), at)
			require.False(t, j.Interval, at)
		default:
			lo, hi := j.Bounds()
			require.True(t, j.Interval && lo == all[0] && hi == all[len(all)-1], at)
		}

		even := func(k int32) bool { return k%2 == 0 }
		f, kept := a.Filter(even), keptOf(a, even)
		if a.Interval && len(kept) > sym.MaxSet {
			lo, hi := f.Bounds()
			require.True(t, f.Interval && lo == kept[0] && hi == kept[len(kept)-1], at)
		} else {
			require.Equal(t, kept, elems(f), at)
		}
		lo := int64(rnd.Intn(80) - 40)
		hi := lo + int64(rnd.Intn(40)) - 2
		require.Equal(t, keptOf(a, func(k int32) bool { return lo <= int64(k) && int64(k) <= hi }), elems(a.Clamp(lo, hi)), "%s %d %d", at, lo, hi)
	}
	gap := sym.Set{Elems: []int32{1, 3}}
	require.True(t, !sym.Set{Interval: true, Lo: 1, Hi: 3}.Within(gap) && gap.Within(sym.Set{Interval: true, Lo: 1, Hi: 3}))
	require.True(t, sym.Range(0, 4).Join(sym.Single(2), 4).Interval && !sym.Range(0, 4).Join(sym.Single(2), 5).Interval)
	require.Equal(t, []int32{1, 2, 3}, elems(sym.Anything().Clamp(1, 3)))
	require.True(t, sym.Anything().Clamp(math.MinInt32, 0).Top && sym.Anything().Clamp(0, 1<<40).Top && sym.Anything().Filter(func(int32) bool { return false }).Top)
	wide := sym.Set{Interval: true, Lo: 0, Hi: 1 << 13}
	require.Equal(t, wide, wide.Filter(func(k int32) bool { return k > 5 }))
}

// TestWiden: a set that grows comes to an end, has all that was in it, and ends in constants
// of the program.
func TestWiden(t *testing.T) {
	thresholds := []int32{-100, -10, 0, 10, 50, 1000}
	for _, step := range []int32{1, -1} {
		a, changes := sym.Set{}, 0
		for k := range int32(100) {
			b := a.Widen(sym.Single(step*k), 4, thresholds)
			require.True(t, a.Within(b) && b.Has(step*k))
			if !a.Equal(b) {
				changes++
				if b.Interval {
					lo, hi := b.Bounds()
					require.True(t, step > 0 && lo == 0 && slices.Contains(thresholds, hi) || step < 0 && hi == 0 && slices.Contains(thresholds, lo), "%+v", b)
				}
			}
			a = b
		}
		require.LessOrEqual(t, changes, 4+3)
		require.True(t, a.Widen(sym.Single(step*1001), 4, thresholds).Top)
	}
	for _, k := range []int32{10, -10} { // as far as the next constant, and no further
		lo, hi := sym.Single(0).Widen(sym.Single(k), 1, thresholds).Bounds()
		require.True(t, lo == min(0, k) && hi == max(0, k))
	}
	require.True(t, sym.Set{}.Widen(sym.Set{Interval: true, Lo: 0, Hi: sym.MaxWidth + 1}, 4, nil).Top)
	require.False(t, sym.Set{}.Widen(sym.Set{Interval: true, Lo: 0, Hi: sym.MaxWidth}, 4, nil).Top)
	require.True(t, sym.Single(0).Widen(sym.Set{Interval: true, Lo: 0, Hi: 30}, 4, []int32{sym.MaxWidth + 1}).Top)
}

// TestEvaluate compares what an operation can give with what it gives for the elements of what
// its operands can be.
func TestEvaluate(t *testing.T) {
	rnd := rand.New(rand.NewSource(1))
	u, v, w := sym.Read(sym.OpVar, &place{1}, 0), sym.Read(sym.OpVar, &place{2}, 0), sym.Read(sym.OpVar, &place{3}, 0)
	for range 1500 {
		can := map[*sym.Expr]sym.Set{u: someSet(rnd), v: someSet(rnd), w: someSet(rnd)}
		for _, op := range []sym.Op{sym.OpAdd, sym.OpSub, sym.OpMul, sym.OpDiv, sym.OpMod, sym.OpEq, sym.OpLt, sym.OpLe, sym.OpAnd, sym.OpOr, sym.OpNot, sym.OpIte} {
			at := fmt.Sprintf("%d %+v", op, can)
			conds := elems(can[w])
			if lo, _ := can[u].Bounds(); op == sym.OpNot && lo < 0 {
				continue // a condition is none or one
			}
			e := sym.Node(op, u, v, nil)
			switch op {
			case sym.OpNot:
				e = sym.Node(op, u, nil, nil)
			case sym.OpIte:
				e = sym.Node(op, w, u, v)
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
				if op == sym.OpNot {
					truth(x == 0)
				}
				for _, y := range elems(can[v]) {
					switch op {
					case sym.OpNot:
					case sym.OpAnd:
						truth(x != 0 && y != 0)
					case sym.OpOr:
						truth(x != 0 || y != 0)
					case sym.OpIte:
						for _, c := range conds {
							if c != 0 {
								add(int64(x))
							} else {
								add(int64(y))
							}
						}
					default:
						if z, ok := sym.Apply(op, int64(x), int64(y)); ok {
							add(z)
						}
					}
				}
			}
			slices.Sort(results)
			results = slices.Compact(results)
			a := sym.Evaluate(e, func(e *sym.Expr) sym.Set { return can[e] })
			if a.Top {
				// There is no bound on what is divided by what may be zero, or less.
				lo, _ := can[v].Bounds()
				require.True(t, (op == sym.OpDiv || op == sym.OpMod) && lo <= 0, at)
				continue
			}
			for _, k := range results {
				require.True(t, a.Has(k), "%s: %d", at, k)
			}
			exact := !can[u].Interval && !can[v].Interval && !can[w].Interval && op != sym.OpNot && (op != sym.OpIte || len(results) > 0)
			if op == sym.OpEq || op == sym.OpLt || op == sym.OpLe {
				exact = can[u].Interval == can[v].Interval
			}
			if exact {
				require.Equal(t, results, elems(a), at)
			}
			if (op == sym.OpAdd || op == sym.OpSub || op == sym.OpMul || op == sym.OpIte) && len(results) > 0 && !can[u].Empty() && !can[v].Empty() && !can[w].Empty() {
				lo, hi := a.Bounds()
				require.True(t, lo == results[0] && hi == results[len(results)-1], at)
			}
		}
	}
	is := func(a, b sym.Set, op sym.Op) sym.Set {
		return sym.Evaluate(sym.Node(op, u, v, nil), func(e *sym.Expr) sym.Set { return map[*sym.Expr]sym.Set{u: a, v: b}[e] })
	}
	big := sym.Single(math.MaxInt32)
	require.True(t, is(big, sym.Single(1), sym.OpAdd).Top && is(sym.Single(math.MinInt32), sym.Single(1), sym.OpSub).Top)
	require.True(t, is(sym.Set{Interval: true, Lo: 0, Hi: math.MaxInt32}, sym.Range(0, 1), sym.OpAdd).Top && is(sym.Set{Interval: true, Lo: math.MinInt32, Hi: 0}, sym.Range(-1, 0), sym.OpAdd).Top)
	require.True(t, is(sym.Anything(), sym.Single(1), sym.OpAdd).Top && is(sym.Single(1), sym.Anything(), sym.OpLt).Top && is(sym.Single(1), sym.Single(0), sym.OpDiv).Empty())
	require.True(t, is(sym.Anything(), sym.Single(0), sym.OpAnd).Equal(sym.Single(0)) && is(sym.Anything(), sym.Single(1), sym.OpAnd).Equal(sym.Either()))
}
