package check

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBounds: a search that a budget ends says so. What it has decided is what a search
// without a budget decides, of queries of all sorts, and all else is open.
func TestBounds(t *testing.T) {
	n := map[string]int{}
	count := uint64(networkCount() / 4)
	for seed := range count {
		compareBounds(t, seed, n)
	}
	t.Logf("%d networks: %v", count, n)
	for _, op := range []string{"A[]", "E<>", "E[]", "A<>", "-->", "stuck"} {
		require.Greater(t, n[op+" open"], int(count)/10, op)
		require.Greater(t, n[op+" decided"], int(count)/10, op)
	}
	require.Greater(t, n["just enough"], int(count)/4)
}

func compareBounds(t *testing.T, seed uint64, n map[string]int) {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 31))}
	var text string
	switch seed % 4 {
	case 0:
		text = g.lockers()
	case 1:
		text = g.small()
	case 2:
		text = g.busy()
	default:
		text = g.network()
	}
	net, info := generated(t, text)
	at := func() string { return g.location(info) }
	stuck := info.Processes[g.IntN(len(info.Processes))].Name
	ops := []string{"A[]", "E<>", "E[]", "A<>", "-->", "stuck"}
	formulas := []string{"A[] not (" + at() + " and " + at() + ")", "E<> deadlock and " + at(), "E[] not " + at(), "A<> " + at(), at() + " --> " + at(), "A[] not (" + at() + " and stuck(" + stuck + "))"}
	if info.HasPriorities() {
		formulas[1] = "E<> " + at() + " and " + at()
	}
	run := func(o Options, formulas ...string) *Report {
		r, err := Verify(context.Background(), net, queries(t, formulas...), o)
		require.NoError(t, err)
		return r
	}
	all := run(Options{Workers: 1, MaxStates: 2000, Reductions: plain.Reductions})
	if !all.Complete {
		n["skipped"]++
		return
	}
	states := all.Stats.States
	for i, f := range formulas {
		want := run(plain, f)
		require.Contains(t, []Verdict{True, False}, want.Results[0].Verdict, "%s\n%s\n%s", text, f, want.Results[0].Reason)
		for k, o := range []Options{
			plain,
			{Workers: 1},
			{Workers: 3, eager: true},
			{Order: DepthFirst},
		} {
			exact := k == 0
			switch g.IntN(4) {
			case 0:
				o.MaxMemory = 1 + want.Stats.Bytes*int64(g.IntN(110))/100
			case 1:
				o.MaxStates = 1 + g.IntN(3)
			case 2:
				o.MaxStates = 1 + g.IntN(states)
			case 3:
				o.MaxStates = states
			}
			got := run(o, f)
			r := got.Results[0]
			msg := fmt.Sprintf("seed %d, %+v, %d states\n%s\n%s\n%s %s", seed, o, states, text, f, r.Verdict, r.Reason)
			if r.Verdict == Maybe {
				require.False(t, got.Complete && i < 2, msg)
				require.Contains(t, []string{errMaxStates.Error(), errMaxMemory.Error()}, r.Reason, msg)
				require.Nil(t, r.Trace, msg)
				n[ops[i]+" open"]++
			} else {
				require.Equal(t, want.Results[0].Verdict.String(), r.Verdict.String(), msg)
				n[ops[i]+" decided"]++
			}
			if exact && o.MaxStates > 0 {
				require.LessOrEqual(t, got.Stats.States, o.MaxStates, msg)
			}
			if exact && o.MaxStates == states {
				require.NotEqual(t, Maybe, r.Verdict, msg)
				n["just enough"]++
			}
			if o.MaxMemory > 0 {
				require.LessOrEqual(t, got.Stats.Bytes, o.MaxMemory, msg)
			}
		}
	}
}

// TestStoresForget: what is known of a cell ends with every form of store to it, so that an
// update behind it which is invalid is looked for.
func TestStoresForget(t *testing.T) {
	stores := []string{
		"a[0] = 3", "a[i] = 3", "a[1 - j] = 3", "a[b[0]] = 3", "a[i] += 3", "a[(i = 0)] = 3", "a = full", "a = flag ? full : a", "(flag ? a : full)[i] = 3",
		"put(a[i])", "put(a[0])", "fill(a)", "some(i)", "every()", "other(j)", "(a[i] = 3) = 3", "flag ? a[i] = 3 : 0", "a[i]++, a[i] = 3",
	}
	steps := []string{
		"n0 > n1 | a[0] < 3 | | %s, a[0]++",
		"n0 > n1 | flag && a[0] < 3 | | %s, a[0] += 1",
		"n0 > n1 | forall (k : int[0,1]) a[k] < 3 | | %s, a[0]++",
		"n0 > n1 | a[i] < 3 | | %s, a[i]++",
		"n0 > n1 | | | a[0] = 1, %s, a[0]++",
		"n0 > n1 | | c! | %s", // the other one receives, and goes on
	}
	for _, store := range stores {
		for _, step := range steps {
			text := `int[0,3] a[2] = {0, 1}; int[0,3] full[2] = {3, 3}; int[0,1] i; int[0,1] j = 1; int[0,1] b[1]; bool flag = true; chan c;
				void put(int[0,3] &p) { p = 3; }
				void fill(int[0,3] &p[2]) { p[i] = 3; }
				void some(int k) { if (k > 0) { i = 0; } else { a[k] = 3; } }
				void every() { for (k : int[0,1]) a[k] = 3; }
				void other(int k) { while (k > 0) { k--; a[k] = 3; } }
				template P
				loc n0
				loc n1
				` + fmt.Sprintf(step, store) + `
				template Q
				loc n0
				loc n1
				` + behindStore(step) + `
				template R
				loc kept
				loc left
				system P, Q, R;`
			net, _ := generated(t, text)
			r, err := Verify(context.Background(), net, queries(t, "A[] not R.left"), Options{Workers: 1})
			require.NoError(t, err)
			require.Equal(t, Error, r.Results[0].Verdict, text)
		}
	}
}

// behindStore is the edge of the other process: it receives, if the first one sends.
func behindStore(step string) string {
	if strings.Contains(step, "c!") {
		return "n0 > n1 | a[0] < 3 | c? | a[0]++"
	}
	return "n0 > n1 | | |"
}
