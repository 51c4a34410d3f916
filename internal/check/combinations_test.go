package check

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/uppaal"
)

type variant struct {
	name string
	opts Options
	// exact: the same traces and numbers of states, not only the same verdicts.
	exact bool
}

// variants are the ways to search that must agree with a plain search.
var variants = []variant{
	{"stubborn", Options{}, false},
	{"stubborn, visible", Options{Reductions: Reductions{NoInvisible: true}}, false},
	{"stubborn, not fused", Options{Reductions: Reductions{NoFusing: true}}, false},
	{"depth first, not fused", Options{Order: DepthFirst, Reductions: Reductions{NoFusing: true}}, false},
	{"three workers", Options{Workers: 3, eager: true, Reductions: plain.Reductions}, true},
	{"stubborn, two workers", Options{Workers: 2, eager: true}, false},
	{"depth first", Options{Order: DepthFirst}, false},
	{"compacted", Options{HashCompaction: true, eager: true, Workers: 1}, false},
	{"compacted, three workers", Options{HashCompaction: true, eager: true, Workers: 3, Reductions: plain.Reductions}, false},
	{"no symmetry", Options{Reductions: Reductions{NoSymmetry: true}}, false},
	{"stubborn alone, not fused", Options{Reductions: Reductions{NoSymmetry: true, NoFusing: true}}, false},
	{"stubborn alone, visible", Options{Reductions: Reductions{NoSymmetry: true, NoInvisible: true}}, false},
	{"symmetry alone", Options{Workers: 1, Reductions: Reductions{NoStubborn: true}}, false},
	{"symmetry alone, three workers", Options{Workers: 3, eager: true, Reductions: Reductions{NoStubborn: true}}, false},
	{"random depth first", Options{Order: RandomDepthFirst, Seed: 7}, false},
}

// TestCombinations compares reductions, orders and numbers of workers with a
// plain search on random networks.
func TestCombinations(t *testing.T) {
	n := map[string]int{}
	for seed := range uint64(networkCount()) {
		compareVariants(t, 1<<32+seed, n)
	}
	t.Logf("%d networks: %v", networkCount(), n)
	require.Positive(t, n["F"])
	require.Positive(t, n["T"])
	require.Positive(t, n["E"])
}

func compareVariants(t *testing.T, seed uint64, n map[string]int) {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 1))}
	var text string
	if seed%4 == 0 {
		text = g.network()
	} else {
		text = g.busy()
	}
	net, info := generated(t, text)
	var formulas []string
	switch g.IntN(4) {
	case 0:
		formulas = []string{"A[] not deadlock"}
		if info.HasPriorities() {
			formulas = []string{"A[] not " + g.location(info)}
		}
	case 1:
		formulas = []string{"E<> " + g.location(info) + " and " + g.cond(1)}
		if f := g.somewhere(t, net); f != "" && !info.HasPriorities() && g.chance(50) {
			formulas[0] = "E<> " + f
		}
	case 2:
		for range 1 + g.IntN(3) {
			formulas = append(formulas, "A[] not ("+g.location(info)+" and "+g.location(info)+" and "+g.cond(0)+")")
		}
		if !info.HasPriorities() && g.chance(50) {
			formulas = append(formulas, "A[] not (deadlock and "+g.location(info)+")")
		}
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
	compareAll(t, seed, net, text, formulas, refuted, n, variants)
}

// Those with several workers take their time where others use the cores too.
var alone = slices.DeleteFunc(slices.Clone(variants), func(v variant) bool { return v.opts.Workers > 1 })

// reductions are the variants that differ in what they leave out of a network without
// scalar types.
var reductions = variants[:4]

// compareAll compares variants on some queries.
func compareAll(t *testing.T, seed uint64, net *uppaal.Network, text string, formulas []string, refuted [][]Label, n map[string]int, list []variant) {
	const limit = 3000
	run := func(o Options) *Report {
		o.MaxStates = limit
		o.Refuted, o.LabelOf = refuted, randomLabel
		r, err := Verify(context.Background(), net, queries(t, formulas...), o)
		require.NoError(t, err)
		r.Stats.Elapsed, r.Stats.Bytes, r.Decided = 0, 0, nil
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
	for _, v := range list {
		got := run(v.opts)
		n[v.name] += got.Stats.States
		exhausted := false
		for i, r := range got.Results {
			b := base.Results[i]
			msg := fmt.Sprintf("seed %d, %s\n%s\n%s\nplain: %s %s\ngot: %s %s", seed, v.name, text, formulas[i], b.Verdict, b.Reason, r.Verdict, r.Reason)
			require.NotContains(t, r.Reason, "internal", msg)
			exhausted = exhausted || r.Trace == nil && (r.Verdict == True || r.Verdict == False) && !pathQuery(formulas[i]) && !strings.Contains(formulas[i], "stuck")
			require.False(t, got.Complete && r.Verdict == Maybe, msg)
			if r.Reason == errMaxStates.Error() {
				// The plain search has met the state that decides early.
				n["late"]++
				continue
			}
			if v.opts.HashCompaction {
				if r.Reason == errCompact.Error() {
					continue
				}
				if r.Omission > 0 || got.Stats.States == 0 && r.Verdict == Maybe {
					require.Equal(t, Maybe, r.Verdict, msg)
					require.Less(t, r.Omission, 1e-9, msg)
					r = Result{Verdict: verdictOf(queries(t, formulas[i])[0].Op, false)}
				} else {
					require.True(t, r.Trace != nil || r.Verdict == Error, msg)
				}
			}
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
		// What nothing was found for is decided by a whole search; with stuck atoms, one of
		// several.
		require.True(t, got.Complete || !exhausted, "seed %d, %s\n%s\n%q", seed, v.name, text, formulas)
		if v.exact {
			require.Equal(t, base.Stats, got.Stats)
			require.Equal(t, base.Complete, got.Complete)
		}
	}
}

// pathQuery reports whether a query is one about paths.
func pathQuery(text string) bool {
	return strings.HasPrefix(text, "E[]") || strings.HasPrefix(text, "A<>") || strings.Contains(text, "-->")
}

// plain is a search without anything that may be left out.
var plain = Options{Workers: 1, Reductions: Reductions{NoStubborn: true, NoSymmetry: true}}

// busy makes networks of several processes with much independent work, where
// reductions have something to leave out. All have the variables of network, so
// that its formulas fit.
func (g *generator) busy() string {
	g.line("int[0,2] x; int[0,3] y = %d; bool flag; int[0,2] a[3];", g.IntN(4))
	g.line("int[0,3] n; int[0,2] own[4]; chan c, d[2]; broadcast chan b;")
	g.line("int f(int[0,4] n) { return n %% 3; }")
	small := func() string {
		return pick(g, "x == "+fmt.Sprint(g.IntN(3)), "y < 2", "y > 1", "flag", "!flag", "a[0] != 1", "a[id%3] == 0", "own[id] < 2", "own[id] == 0",
			"n < 3", "n > 0", "own[(id+1)%4] == 2", "l == 0", "l < 2", "l > 0 && a[l] < 2", "x < 2 && own[id] < 2", "f(l) == 1", "forall (q : int[0,2]) a[q] < 2")
	}
	safe := func() string {
		return pick(g, "flag = !flag", "x = (x + 1) % 3", "y = "+fmt.Sprint(g.IntN(4)), "own[id] = "+fmt.Sprint(g.IntN(3)), "own[id] = (own[id] + 1) % 3",
			"a[id%3] = "+fmt.Sprint(g.IntN(3)), "l = (l + 1) % 3", "l = 0", "flag = true", "flag = false", "own[id] = l", "x = l", "a[l] = 1", "l = x", "y = f(y)")
	}
	templates := 1 + g.IntN(3)
	id := 0
	var instances, names []string
	for t := range templates {
		g.line("template T%d(const int[0,3] id)", t)
		g.line("var int[0,2] l;")
		locs := 2 + g.IntN(3)
		for i := range locs {
			g.line("loc n%d%s", i, map[bool]string{true: " committed"}[i > 0 && g.chance(4)])
		}
		loops := g.chance(30)
		for range locs + g.IntN(4) {
			from := g.IntN(locs)
			to := g.IntN(locs)
			if !loops {
				from = g.IntN(locs - 1)
				to = from + 1 + g.IntN(locs-1-from)
			}
			sel, guard, sync := "", "", ""
			if g.chance(45) {
				guard = small()
			}
			if g.chance(15) {
				sync = pick(g, "c", "c", "d[0]", "d[1]", "d[id%2]", "d[l%2]", "b") + pick(g, "!", "?")
			}
			var ups []string
			for range g.IntN(3) {
				ups = append(ups, safe())
			}
			switch g.IntN(12) {
			case 0:
				guard, ups = "n < 3", []string{"n++"}
			case 1:
				guard, ups = "n > 0", []string{"n = n - 1"}
			case 2:
				guard, ups = "n < 2 && own[id] == 0", append(ups, "n += 2")
			case 3:
				if g.chance(30) {
					ups = append(ups, "n++")
				}
			case 4:
				sel, guard = "select i : int[0,1]", pick(g, "a[i] == 0", "i == x", "y > i")
				ups = append(ups, "own[id] = i")
				if g.chance(50) {
					sync = "d[i]" + pick(g, "!", "?")
				}
			}
			g.line("n%d > n%d %s | %s | %s | %s", from, to, sel, guard, sync, strings.Join(ups, ", "))
		}
		for range 1 + g.IntN(3) {
			if id < 4 {
				instances = append(instances, fmt.Sprintf("P%d = T%d(%d);", id, t, id))
				names = append(names, fmt.Sprintf("P%d", id))
				id++
			}
		}
	}
	for _, i := range instances {
		g.line("instance %s", i)
	}
	g.line("system %s;", strings.Join(names, ", "))
	return g.b.String()
}

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
