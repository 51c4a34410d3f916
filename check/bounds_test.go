package check

import (
	"context"
	"fmt"
	"math/rand/v2"
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
