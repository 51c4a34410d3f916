package check

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/uppaal"
)

// TestEnabledBy: that a change of a cell may make a comparison true is what trying all small
// values says, for each comparison and each kind of change.
func TestEnabledBy(t *testing.T) {
	const most = 4
	changes := map[string]struct {
		use    use
		k      int32
		result func(v, w int32) bool // v may become w
	}{
		"n = -1":          {useWrite | useConst, -1, func(_, w int32) bool { return w == -1 }},
		"n = 0":           {useWrite | useConst, 0, func(_, w int32) bool { return w == 0 }},
		"n = 2":           {useWrite | useConst, 2, func(_, w int32) bool { return w == 2 }},
		"n = m":           {useWrite, 0, func(_, _ int32) bool { return true }},
		"n++":             {useInc, 0, func(v, w int32) bool { return w > v }},
		"n--":             {useDec, 0, func(v, w int32) bool { return w < v }},
		"n++, n--":        {useInc | useDec, 0, func(_, _ int32) bool { return true }},
		"n > 0, n--":      {useDec | useAbove, 0, func(v, w int32) bool { return w < v }},
		"n < 2, n++":      {useInc | useBelow, 0, func(v, w int32) bool { return w > v }},
		"m = n":           {useRead, 0, func(_, _ int32) bool { return false }},
		"n > 0":           {useAbove, 0, func(_, _ int32) bool { return false }},
		"nothing with it": {noAccess, 0, func(_, _ int32) bool { return false }},
	}
	for _, op := range []uppaal.Op{uppaal.OpEq, uppaal.OpNe, uppaal.OpLt, uppaal.OpLe, uppaal.OpGt, uppaal.OpGe} {
		for k := int32(-2); k <= 2; k++ {
			for name, c := range changes {
				want := false
				for v := int32(-most); v <= most; v++ {
					for w := int32(-most); w <= most; w++ {
						want = want || c.result(v, w) && !compareValues(op, v, k) && compareValues(op, w, k)
					}
				}
				x := comparison{op: op, k: k}
				require.Equal(t, want, x.enabledBy(cellUse{c.use, c.k}), fmt.Sprintf("n %v %d by %s", op, k, name))
			}
		}
	}
}

// TestDisturbs: what a transition does to a cell matters to another one if that may be lost
// by it, or if it makes a difference which of the two is first.
func TestDisturbs(t *testing.T) {
	type transition struct {
		use use
		may func(n int32) bool
		do  func(n int32) (after, seen int32) // seen is what it does with the value elsewhere
	}
	always := func(int32) bool { return true }
	kinds := map[string]transition{
		"n = 1":      {useWrite, always, func(int32) (int32, int32) { return 1, 0 }},
		"n = 2":      {useWrite, always, func(int32) (int32, int32) { return 2, 0 }},
		"n++":        {useInc, always, func(n int32) (int32, int32) { return n + 1, 0 }},
		"n--":        {useDec, always, func(n int32) (int32, int32) { return n - 1, 0 }},
		"m = n":      {useRead, always, func(n int32) (int32, int32) { return n, n }},
		"n == 0":     {useRead, func(n int32) bool { return n == 0 }, func(n int32) (int32, int32) { return n, 0 }},
		"n < 2":      {useBelow, func(n int32) bool { return n < 2 }, func(n int32) (int32, int32) { return n, 0 }},
		"n > 0":      {useAbove, func(n int32) bool { return n > 0 }, func(n int32) (int32, int32) { return n, 0 }},
		"n < 2, n++": {useBelow | useInc, func(n int32) bool { return n < 2 }, func(n int32) (int32, int32) { return n + 1, 0 }},
		"n > 0, n--": {useAbove | useDec, func(n int32) bool { return n > 0 }, func(n int32) (int32, int32) { return n - 1, 0 }},
		"k = 1":      {noAccess, always, func(n int32) (int32, int32) { return n, 0 }},
	}
	matters := func(a, b transition) bool {
		for n := int32(-4); n <= 4; n++ {
			if !a.may(n) || !b.may(n) {
				continue
			}
			afterA, _ := a.do(n)
			if !b.may(afterA) {
				return true // b is lost by a
			}
			afterB, seen := b.do(n)
			last, seenLater := b.do(afterA)
			if seen != seenLater {
				return true
			}
			if !a.may(afterB) {
				continue // a is lost by b, which is b's doing
			}
			if other, _ := a.do(afterB); other != last {
				return true
			}
		}
		return false
	}
	for nameA, a := range kinds {
		for nameB, b := range kinds {
			if matters(a, b) {
				require.True(t, a.use.disturbs(b.use), "%s in front of %s", nameA, nameB)
			}
		}
	}
	// As long as nothing else is done to a counter, up and down do not matter to each other.
	for _, pair := range [][2]string{{"n++", "n--"}, {"n++", "n > 0"}, {"n--", "n < 2"}, {"n++", "n > 0, n--"}, {"n--", "n < 2, n++"}, {"m = n", "n < 2"}, {"n++", "k = 1"}} {
		a, b := kinds[pair[0]], kinds[pair[1]]
		require.False(t, matters(a, b), pair)
		require.False(t, a.use.disturbs(b.use), pair)
	}
}
