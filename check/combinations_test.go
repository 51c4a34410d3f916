package check

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/uppaal"
)

// variants are the ways to search that must agree with a plain search.
var variants = []struct {
	name string
	opts Options
	// exact: the same traces and numbers of states, not only the same verdicts.
	exact bool
}{
	{"depth first", Options{Order: DepthFirst}, false},
	{"random depth first", Options{Order: RandomDepthFirst, Seed: 7}, false},
}

// TestCombinations compares reductions, orders and numbers of workers with a
// plain search on random networks.
func TestCombinations(t *testing.T) {
	n := map[string]int{}
	for seed := range uint64(*networks) {
		compareVariants(t, 1<<32+seed, n)
	}
	t.Logf("%d networks: %v", *networks, n)
	require.Positive(t, n["F"])
	require.Positive(t, n["T"])
	require.Positive(t, n["E"])
}

func compareVariants(t *testing.T, seed uint64, n map[string]int) {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 1))}
	text := g.network()
	net, err := parseModel(text)
	require.NoError(t, err, text)
	info, err := uppaal.Check(net)
	require.NoError(t, err, text)
	var formulas []string
	switch g.IntN(4) {
	case 0:
		formulas = []string{"A[] not deadlock"}
		if info.HasPriorities() {
			formulas = []string{"A[] not " + g.location(info)}
		}
	case 1:
		formulas = []string{"E<> " + g.location(info) + " and " + g.cond(1)}
	default:
		for _, f := range g.formulas(info, 1+g.IntN(5)) {
			if g.chance(50) {
				formulas = append(formulas, "E<> "+f)
			} else {
				formulas = append(formulas, "A[] not ("+f+")")
			}
		}
		if g.chance(20) {
			formulas = append(formulas, "E[] "+g.cond(1), g.location(info)+" --> "+g.location(info))
		}
	}
	refuted := [][]Label(nil)
	if g.chance(15) {
		refuted = g.refuted()
	}
	const limit = 3000
	run := func(o Options) *Report {
		o.MaxStates = limit
		o.Refuted, o.LabelOf = refuted, randomLabel
		r, err := Verify(context.Background(), net, queries(t, formulas...), o)
		require.NoError(t, err)
		r.Stats.Elapsed, r.Stats.Bytes = 0, 0
		return r
	}
	base := run(plain)
	if base.Stats.States == limit {
		n["big"]++
		return
	}
	n["states"] += base.Stats.States
	for _, r := range base.Results {
		n[r.Verdict.String()]++
	}
	for _, v := range variants {
		got := run(v.opts)
		n[v.name] += got.Stats.States
		for i, r := range got.Results {
			b := base.Results[i]
			msg := fmt.Sprintf("seed %d, %s\n%s\n%s\nplain: %s %s\ngot: %s %s", seed, v.name, text, formulas[i], b.Verdict, b.Reason, r.Verdict, r.Reason)
			require.NotContains(t, r.Reason, "internal", msg)
			if v.opts.Order != BreadthFirst && (r.Verdict == Error || b.Verdict == Error) {
				// What is found before an invalid evaluation depends on the order.
				continue
			}
			require.Equal(t, b.Verdict.String(), r.Verdict.String(), msg)
			require.Equal(t, b.Trace == nil, r.Trace == nil, msg)
			switch {
			case v.exact:
				require.Equal(t, b, r, msg)
			case b.Trace == nil || v.opts.Order != BreadthFirst:
			case strings.Contains(formulas[i], "stuck") || r.Verdict == Error:
			default:
				require.Equal(t, len(b.Trace.Steps), len(r.Trace.Steps), msg)
			}
		}
		if v.exact {
			require.Equal(t, base.Stats, got.Stats)
		}
	}
}

// plain is a search without anything that may be left out.
var plain = Options{}

func FuzzCombinations(f *testing.F) {
	f.Add(uint64(1 << 40))
	f.Fuzz(func(t *testing.T, seed uint64) { compareVariants(t, seed, map[string]int{}) })
}

// TestDepthFirst: the same seed makes the same search, and a state that lies
// deep is found with few states.
func TestDepthFirst(t *testing.T) {
	for _, order := range []Order{DepthFirst, RandomDepthFirst} {
		find := func() *Report {
			return verify(t, buffer(3, 5), Options{Order: order, Seed: 3}, "E<> n == C and last == 2 and Consumer.ready")
		}
		r, again := find(), find()
		require.Equal(t, True, r.Results[0].Verdict)
		require.Less(t, r.Stats.States, 5000)
		require.Equal(t, r.Stats.States, again.Stats.States)
		require.Equal(t, len(r.Results[0].Trace.Steps), len(again.Results[0].Trace.Steps))
	}
}
