package check

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/uppaal"
)

// arithmetics are the operations on numbers whose bounds are known, as the language has them.
var arithmetics = map[uppaal.Op]func(x, y int64) int64{
	uppaal.OpAdd:  func(x, y int64) int64 { return x + y },
	uppaal.OpSub:  func(x, y int64) int64 { return x - y },
	uppaal.OpMul:  func(x, y int64) int64 { return x * y },
	uppaal.OpDiv:  func(x, y int64) int64 { return x / y },
	uppaal.OpMod:  func(x, y int64) int64 { return x % y },
	uppaal.OpMin:  func(x, y int64) int64 { return min(x, y) },
	uppaal.OpMax:  func(x, y int64) int64 { return max(x, y) },
	uppaal.OpBAnd: func(x, y int64) int64 { return x & y },
	uppaal.OpBOr:  func(x, y int64) int64 { return x | y },
	uppaal.OpBXor: func(x, y int64) int64 { return x ^ y },
	uppaal.OpShl:  func(x, y int64) int64 { return x << y },
	uppaal.OpShr:  func(x, y int64) int64 { return x >> y },
}

// TestArithmeticBounds: whatever two numbers within bounds are, what comes of them is within
// the bounds of the operation.
func TestArithmeticBounds(t *testing.T) {
	const most = 4
	for op, f := range arithmetics {
		known := 0
		for xlo := int64(-most); xlo <= most; xlo++ {
			for xhi := xlo; xhi <= most; xhi++ {
				for ylo := int64(-most); ylo <= most; ylo++ {
					for yhi := ylo; yhi <= most; yhi++ {
						b, ok := arithmeticBounds(op, bounds{xlo, xhi}, bounds{ylo, yhi})
						if !ok {
							continue
						}
						known++
						for x := xlo; x <= xhi; x++ {
							for y := ylo; y <= yhi; y++ {
								z := f(x, y)
								require.True(t, b.lo <= z && z <= b.hi, "%v of %d in [%d,%d] and %d in [%d,%d] is %d, not in [%d,%d]", op, x, xlo, xhi, y, ylo, yhi, z, b.lo, b.hi)
							}
						}
					}
				}
			}
		}
		require.Positive(t, known, "%v", op)
	}
}

// TestCallsInArguments: functions that are called within the arguments of others, and of
// themselves, have their own parameters, and variables.
func TestCallsInArguments(t *testing.T) {
	const declared = `
		int[-200000,200000] x;
		int f(int a, int b) { return a*2+b; }
		int g(int a) { int b = a+1; return b*3-a; }
		int h(int a, int b, int c) { int d = a-b; if (d > c) return d; return c-d; }
	`
	calls := map[string]func(v []int) int{
		"f": func(v []int) int { return v[0]*2 + v[1] },
		"g": func(v []int) int { return (v[0]+1)*3 - v[0] },
		"h": func(v []int) int {
			if d := v[0] - v[1]; d > v[2] {
				return d
			} else {
				return v[2] - d
			}
		},
	}
	parameters := map[string]int{"f": 2, "g": 1, "h": 3}
	r := rand.New(rand.NewPCG(3, 1))
	var expression func(depth int) (string, int)
	expression = func(depth int) (string, int) {
		if depth == 0 || r.IntN(5) == 0 {
			n := r.IntN(7)
			return fmt.Sprint(n), n
		}
		name := []string{"f", "g", "h"}[r.IntN(3)]
		var texts []string
		var values []int
		for range parameters[name] {
			text, v := expression(depth - 1)
			texts, values = append(texts, text), append(values, v)
		}
		return name + "(" + strings.Join(texts, ", ") + ")", calls[name](values)
	}
	for range 100 {
		text, v := expression(3)
		for how, update := range map[string]string{"value": "x = " + text, "sum": "x = " + text + " + 0*" + text} {
			rep := verify(t, declared+"template P\nloc a\nloc b\na > b | | | "+update+"\nsystem P;", Options{}, fmt.Sprintf("A[] (P.b imply x == %d)", v), "E<> P.b")
			require.Equal(t, True, rep.Results[0].Verdict, "%s, %s is %d", how, text, v)
			require.Equal(t, True, rep.Results[1].Verdict, text)
		}
	}
}

// TestFusedGroups: a transition of two processes that other transitions of only one of them go
// beside is no step of one process: what the other one does in between counts.
func TestFusedGroups(t *testing.T) {
	noRaces(t)
	steps := []string{"", "0 < n", "n < 2", "n == 1"}
	updates := []string{"", "n++", "n = 2"}
	found := 0
	for _, after := range steps {
		for _, guard := range steps {
			for _, update := range updates {
				for _, other := range updates {
					text := fmt.Sprintf(`
						chan c;
						int[0,4] n;
						template P
						loc s
						loc l
						loc m
						loc e
						loc bad
						s > l | | c! |
						l > m | %s | |
						l > bad | 0 < n | |
						m > e | %s | | %s
						template Q
						loc x
						loc w
						loc y
						x > w | | c? |
						w > y | n < 3 | | %s
						system P, Q;`, after, guard, update, other)
					for _, q := range []string{"E<> P.bad", "E<> P.e and n == 2", "A[] not (Q.y and P.l)"} {
						want := verify(t, text, plain, q).Results[0].Verdict
						for _, o := range []Options{{}, {Workers: 1}, {Order: DepthFirst}} {
							require.Equal(t, want, verify(t, text, o, q).Results[0].Verdict, "%+v %s%s", o, q, text)
						}
						if want == True {
							found++
						}
					}
				}
			}
		}
	}
	require.Greater(t, found, 50)
}

// TestRangesOfPlaces: an assignment is invalid where the value is outside of the range of what
// is assigned to, whichever way that is named.
func TestRangesOfPlaces(t *testing.T) {
	const declared = `
		typedef struct { int[0,9] u; int[0,3] v; bool w; int[-2,1] z[2]; } S;
		S s[2], one;
		int[1,4] a[3] = {1, 1, 1};
		int[0,1] i;
	`
	ranges := map[string][2]int{"u": {0, 9}, "v": {0, 3}, "z[0]": {-2, 1}, "z[i]": {-2, 1}, "z[1-i]": {-2, 1}}
	places := map[string][2]int{"a[i]": {1, 4}, "a[2]": {1, 4}, "a[i+1]": {1, 4}}
	for field, r := range ranges {
		for _, of := range []string{"one", "s[0]", "s[1]", "s[i]", "s[1-i]"} {
			places[of+"."+field] = r
		}
	}
	const set = "int[0,1] i;"
	for place, r := range places {
		for _, v := range []int{-3, -2, -1, 0, 1, 2, 3, 4, 5, 9, 10} {
			for _, index := range []int{0, 1} {
				text := strings.Replace(declared, set, fmt.Sprintf("int[0,1] i = %d;", index), 1)
				rep := verify(t, text+"template P\nloc k\nloc l\nk > k | | | i = 1 - i\nk > l | | | "+fmt.Sprintf("%s = %d", place, v)+"\nsystem P;", Options{}, "A[] not P.l").Results[0]
				if r[0] <= v && v <= r[1] {
					require.Equal(t, False, rep.Verdict, "%s = %d", place, v)
					continue
				}
				require.Equal(t, Error, rep.Verdict, "%s = %d", place, v)
				require.Contains(t, rep.Reason, "is outside")
				require.NotContains(t, rep.Reason, "internal")
			}
		}
	}
}
