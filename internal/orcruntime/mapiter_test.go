package orcruntime

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// inRun runs f under control, in the environment of a seed.
func inRun(t *testing.T, seed uint64, f func()) Result {
	t.Helper()
	res := Run(Config{Bubble: bubble(t), Main: f, Plan: Plan{Seed: seed}, Record: true})
	require.Equal(t, Completed, res.Verdict, res)
	require.Empty(t, res.Outcome.Kind, res)
	return res
}

// TestMapSemantics: random programs change a map while they range over it. What
// comes is what the language allows: every entry that stays, once; none that is
// gone; one that is new, or back again, perhaps; with the value that it has then.
func TestMapSemantics(t *testing.T) {
	programs := 0
	for seed := range uint64(300) {
		check := func() {
			programs += 5
			checkRange(t, seed, func(i int) int { return i - 3 })
			checkRange(t, seed, func(i int) string { return fmt.Sprint("k", i) })
			checkRange(t, seed, func(i int) any {
				return []any{i, fmt.Sprint(i), float64(i), [2]int{i}, struct{ a, b int }{0, i}, nil}[i%6]
			})
			checkRange(t, seed, func(i int) float64 {
				if i%5 == 0 {
					return math.NaN()
				}
				return float64(i)
			})
			keys := map[int]*int{}
			checkRange(t, seed, func(i int) *int {
				if keys[i] == nil {
					keys[i] = new(int)
				}
				return keys[i]
			})
		}
		check() // outside of runs
		inRun(t, seed%7, check)
	}
	require.Equal(t, 3000, programs)
}

func checkRange[K comparable](t *testing.T, seed uint64, key func(i int) K) {
	r := rand.New(rand.NewPCG(seed, 1))
	m := map[K]int{}
	value := 0
	insert := func(k K) {
		value++
		m[k] = value
	}
	for range r.IntN(14) {
		insert(key(r.IntN(20)))
	}
	equal := func(k K) bool { return k == k }
	owed := map[K]bool{}      // not come, and there from the beginning
	came := map[K]bool{}      // come, and not gone since
	strange := map[int]bool{} // values of keys that are not equal to themselves, owed
	for k, v := range m {
		if equal(k) {
			owed[k] = true
		} else {
			strange[v] = true
		}
	}
	cameStrange := map[int]bool{}
	forget := func(k K) { delete(owed, k); delete(came, k) }
	for rg := RangeMap(1, m, true); rg.Next(); {
		k, v := rg.K, rg.V
		if equal(k) {
			now, there := m[k]
			require.True(t, there, "%v came, and is gone", k)
			require.Equal(t, now, v)
			require.False(t, came[k], "%v came twice", k)
			came[k] = true
			delete(owed, k)
		} else {
			require.False(t, cameStrange[v])
			there := false
			for _, w := range m {
				there = there || w == v
			}
			require.True(t, there)
			cameStrange[v] = true
			delete(strange, v)
		}
		if r.IntN(20) == 0 {
			return
		}
		for range r.IntN(4) {
			k := key(r.IntN(20))
			switch n := r.IntN(20); {
			case n == 0:
				clear(m)
				clear(owed)
				clear(came)
				clear(strange)
			case n < 8 && len(m) < 30:
				insert(k)
			default:
				delete(m, k)
				forget(k)
			}
		}
	}
	require.Empty(t, owed)
	require.Empty(t, strange)
}

// TestMapOrder: without a seed the keys are sorted, with seeds every order comes,
// with one seed the same, and a plan may say which.
func TestMapOrder(t *testing.T) {
	get := func(seed uint64) (out string, res Result) {
		res = inRun(t, seed, func() {
			m := map[string]int{"b": 1, "d": 2, "a": 3, "c": 4}
			for r := RangeMap(1, m, false); r.Next(); {
				out += r.K
			}
		})
		return out, res
	}
	orders := map[string]int{}
	for seed := range uint64(1000) {
		out, res := get(seed)
		again, _ := get(seed)
		require.Equal(t, out, again)
		if seed == 0 {
			require.Equal(t, "abcd", out)
		}
		orders[out]++
		require.Len(t, res.Choices, 1)
		require.Equal(t, 24, res.Choices[0].N)
		prescribed := Run(Config{Bubble: bubble(t), Record: true, Plan: Plan{Choices: res.Choices}, Main: func() {
			again = ""
			for r := RangeMap(1, map[string]int{"b": 1, "d": 2, "a": 3, "c": 4}, false); r.Next(); {
				again += r.K
			}
		}})
		require.Equal(t, out, again)
		require.Equal(t, res.Choices, prescribed.Choices)
	}
	require.Len(t, orders, 24)
	for _, n := range orders {
		require.Greater(t, n, 15)
	}
	// More than a few keys have orders too, which are no choices each.
	sorted := 0
	for seed := range uint64(20) {
		var keys []int
		res := inRun(t, seed, func() {
			m := map[int]bool{}
			for i := range 100 {
				m[i] = true
			}
			keys = KeySlice(1, m)
		})
		require.Empty(t, res.Choices)
		require.Equal(t, 1, res.Asked)
		if slices.IsSorted(keys) {
			sorted++
		}
		slices.Sort(keys)
		require.Len(t, slices.Compact(keys), 100)
	}
	require.Equal(t, 1, sorted)
}

type named string

// TestCanonical: the order of keys is that of their values, whatever their types.
func TestCanonical(t *testing.T) {
	type pair struct {
		x any
		y float64
	}
	p, q, r := new(int), new(int), new(int)
	*q = 7
	c, d := make(chan int), make(chan int)
	inRun(t, 0, func() {
		for range 20 { // the native order is another every time
			require.Equal(t, []named{"", "a", "b"}, KeySlice(1, map[named]int{"b": 1, "": 1, "a": 1}))
			require.Equal(t, []bool{false, true}, KeySlice(1, map[bool]int{true: 1, false: 1}))
			require.Equal(t, []uint8{1, 2, 255}, KeySlice(1, map[uint8]int{255: 1, 2: 1, 1: 1}))
			require.Equal(t, []float32{-1, 0, 2}, KeySlice(1, map[float32]int{2: 1, 0: 1, -1: 1}))
			require.Equal(t, []complex128{-1i, 1i, 1}, KeySlice(1, map[complex128]int{1: 1, 1i: 1, -1i: 1}))
			require.Equal(t, [][2]int{{1, 2}, {2, 0}, {2, 1}}, KeySlice(1, map[[2]int]int{{2, 1}: 1, {1, 2}: 1, {2, 0}: 1}))
			require.Equal(t, []any{nil, 1, 2, named("z"), pair{1, 1}, pair{1, 2}, pair{"", 0}, "a"},
				KeySlice(1, map[any]int{"a": 1, pair{"", 0}: 1, pair{1, 2}: 1, pair{1, 1}: 1, nil: 1, named("z"): 1, 2: 1, 1: 1}))
			require.Equal(t, []*int{nil, q, p, r}, KeySlice(1, map[*int]int{Keyed(q): 1, Keyed(p): 1, nil: 1, r: 1}))
			require.Equal(t, []any{d, c}, KeySlice(1, map[any]int{Keyed(d): 1, Keyed[any](c): 1}))
		}
	})
	// What the run has not seen inserted comes by what it points to, and if that is
	// the same, in no order: the run says so.
	res := inRun(t, 0, func() {
		require.Equal(t, []*int{p, q}, KeySlice(1, map[*int]int{q: 1, p: 1}))
	})
	require.Empty(t, res.Notes)
	res = inRun(t, 0, func() { KeySlice(1, map[*int]int{r: 1, p: 1}) })
	require.Len(t, res.Notes, 1)
	require.Contains(t, res.Notes[0], "differ in their addresses only")
}

// TestEnvironment: what a run finds random follows from its seed.
func TestEnvironment(t *testing.T) {
	f := func(out *strings.Builder) func() {
		return func() {
			var wg sync.WaitGroup
			var pool sync.Pool
			seed := MakeSeed(9)()
			for i := range 3 {
				WGGo(1, &wg, func() {
					v, ok := Choose(2, 6)
					fmt.Fprintln(out, i, v, ok, Entropy(3).Uint64(), Entropy(3).Int63() >= 0, Entropy(3).Text())
					Pool(4, &pool).Put(i)
					fmt.Fprintln(out, Pool(4, &pool).Get(), HashString(seed, "x"), HashComparable(seed, any(i)), Goroutines(0).Count())
					var b [11]byte
					n, err := Reader(5, nil).Read(b[:])
					fmt.Fprintln(out, b, n, err)
				})
			}
			Wait(6, &wg)
		}
	}
	seen := map[string]bool{}
	for seed := range uint64(50) {
		var a, b strings.Builder
		res := inRun(t, seed, f(&a))
		require.Equal(t, res.Choices, inRun(t, seed, f(&b)).Choices)
		require.Equal(t, a.String(), b.String())
		seen[a.String()] = true
		// It is not of the schedule.
		require.Equal(t, seed, res.Seed)
	}
	require.Len(t, seen, 50)
	_, ok := Choose(1, 6)
	require.False(t, ok)
	require.Nil(t, Entropy(1))
}

// TestPoolChoices: what a pool gives is any value that was put into it, or a new one.
func TestPoolChoices(t *testing.T) {
	seen := map[any]bool{}
	for seed := range uint64(100) {
		inRun(t, seed, func() {
			pool := sync.Pool{New: func() any { return "new" }}
			Pool(1, &pool).Put("a")
			Pool(2, &pool).Put("b")
			seen[Pool(3, &pool).Get()] = true
		})
	}
	require.Equal(t, map[any]bool{"a": true, "b": true, "new": true}, seen)
}

// TestPoolNil: a pool that is nil has no values, and takes none.
func TestPoolNil(t *testing.T) {
	if raceDetector {
		t.Skip("sync.Pool switches the race detector off, and is left by the panic before it switches it on")
	}
	inRun(t, 1, func() {
		require.Panics(t, func() { (*sync.Pool)(nil).Put(new(1)) })
		require.Panics(t, func() { Pool(1, nil).Put(new(1)) })
		require.Panics(t, func() { Pool(2, nil).Get() })
	})
}
