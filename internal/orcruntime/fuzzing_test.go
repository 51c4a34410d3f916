package orcruntime

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// fuzz does a search, and gives the kinds of ends with what a replay of each needs.
func fuzz(t *testing.T, f Fuzzing) (out Fuzzed, kinds map[string]Result, kept []Input) {
	t.Helper()
	kinds = map[string]Result{}
	f.Ran = func(int, Result) {}
	f.Found = func(_ int, _ Input, res Result) {
		if _, ok := kinds[res.Outcome.Kind]; !ok {
			kinds[res.Outcome.Kind] = res
		}
	}
	f.Kept = func(in Input) { kept = append(kept, in) }
	return Fuzz(f), kinds, kept
}

// TestFuzz: a search finds every way in which a program can end, with a recording that repeats it.
func TestFuzz(t *testing.T) {
	inLong(t)
	for _, p := range programs {
		out, kinds, _ := fuzz(t, Fuzzing{Config: p.config(bubble(t)), Seed: 1, Runs: 150 * *strategyRuns})
		require.Empty(t, out.Left, p.name)
		runs := 150 * *strategyRuns
		if out.Single {
			require.Len(t, p.outcomes, 1, p.name)
			runs = beginnings
		}
		require.Equal(t, runs, out.Runs)
		for _, res := range kinds {
			again := p.config(bubble(t))
			again.Plan = Plan{Steps: res.Trace, Expect: res.Observed(), Seed: res.Seed, Choices: res.Choices, Minor: res.Minor}
			replayed := Run(again)
			require.Equal(t, res.Outcome.Kind, replayed.Outcome.Kind, "%s\n%s\n%s", p.name, res, replayed)
		}
		for _, k := range p.outcomes {
			_, ok := kinds[k]
			require.True(t, ok || missed["fuzz "+p.name] == k, "%s: %q", p.name, k)
		}
	}
}

// crossed has an error that shows only if a lock is taken, a value is sent and a flag is set in one of
// many orders.
func crossed() {
	var m sync.Mutex
	c := make(chan bool)
	done := make(chan bool, 2)
	Go(1, func() {
		for range 2 {
			Recv(10, c)
			Lock(11, &m)
			Unlock(12, &m)
		}
		To(done).Send(13, true)
	})
	sender := func(base Site) func() {
		return func() {
			Lock(base, &m)
			To(c).Send(base+1, true)
			Unlock(base+2, &m)
		}
	}
	Go(2, sender(20))
	sender(30)()
	Recv(40, done)
}

// TestFuzzIsRepeated: a search is a function of its seed and corpus, and goes on from what it has kept.
func TestFuzzIsRepeated(t *testing.T) {
	cfg := Config{Bubble: bubble(t), Main: crossed}
	out, kinds, kept := fuzz(t, Fuzzing{Config: cfg, Seed: 7, Runs: 300})
	require.Contains(t, kinds, KindDeadlock)
	require.NotEmpty(t, out.Corpus)
	require.LessOrEqual(t, len(out.Corpus), len(kept))
	require.Positive(t, out.Features)
	require.Positive(t, out.Enforced)
	require.Positive(t, out.Discarded)
	again, _, keptAgain := fuzz(t, Fuzzing{Config: cfg, Seed: 7, Runs: 300})
	require.Equal(t, out, again)
	require.Equal(t, kept, keptAgain)

	// The runs of the corpus come first, and they have all features.
	resumed, _, _ := fuzz(t, Fuzzing{Config: cfg, Seed: 8, Runs: len(out.Corpus), Corpus: out.Corpus})
	require.Equal(t, out.Features, resumed.Features)
	require.Len(t, resumed.Corpus, len(out.Corpus))
}

// TestFuzzChains: a chain brings its operations into its order, behind a prefix that is repeated, and a select
// takes the case that it is to take.
func TestFuzzChains(t *testing.T) {
	var order []Site
	main := func() {
		order = nil
		a, b := make(chan bool), make(chan bool)
		use := func(site Site) func() {
			return func() {
				Access(site)
				order = append(order, site)
			}
		}
		Go(1, use(11))
		Go(2, use(12))
		Go(3, use(13))
		Go(4, func() { Access(14); To(a).Send(24, true) })
		Go(5, func() { Access(15); To(b).Send(25, true) })
		x, y := R(a), R(b)
		order = append(order, Site(100+Select(6, false, x, y)))
	}
	for _, tc := range [][]int{{1, 2, 3}, {3, 2, 1}, {2, 3, 1}} {
		for tail := range uint64(5) {
			in := Input{Tail: tail}
			for _, n := range tc {
				in.Chain = append(in.Chain, Step{G: "0." + string(rune('0'+n)), Site: Site(10 + n).key(), Occ: 1})
			}
			in.Cases = []Step{{G: "0", Site: Site(6).key(), Occ: 1, Case: int(tail % 2)}}
			c := newInputChooser(in)
			res := Run(Config{Bubble: bubble(t), Main: main, Entry: EntryTest, Chooser: c})
			require.Equal(t, Completed, res.Verdict)
			require.True(t, c.enforced())
			var got []int
			for _, site := range order {
				if site < 100 {
					got = append(got, int(site)-10)
				}
			}
			require.Equal(t, tc, got)
			require.Contains(t, order, Site(100+tail%2))
		}
	}
}

// TestFuzzTaint: what outlives runs is noticed.
func TestFuzzTaint(t *testing.T) {
	kept := 0
	out, _, _ := fuzz(t, Fuzzing{Config: Config{Bubble: bubble(t), Main: func() {
		for range kept {
			Access(1)
		}
		kept++
	}}, Runs: 100})
	require.True(t, out.Tainted)
	require.Contains(t, out.Left, "state outlives runs")
}

// TestFeedback: a search comes to an error behind many orders, one after the other, by what it has kept of
// each, and does not if it keeps nothing.
func TestFeedback(t *testing.T) {
	inLong(t)
	const stages = 12
	main := func() {
		for i := range Site(stages) {
			first := false
			Go(100+i, func() {
				Access(200 + i)
				first = true
			})
			Access(300 + i)
			if !first {
				return
			}
		}
		panic(Panic(400, "behind all orders"))
	}
	cfg := Config{Bubble: bubble(t), Main: main}
	for seed := range uint64(3) {
		out, _, _ := fuzz(t, Fuzzing{Config: cfg, Seed: seed * 1000, Runs: 1000, First: true, Patient: true})
		t.Logf("%d runs", out.Runs)
		require.Less(t, out.Runs, 1000)
		out, _, _ = fuzz(t, Fuzzing{Config: cfg, Seed: seed * 1000, Runs: 1000, First: true, Patient: true, Blind: true})
		require.Equal(t, 1000, out.Runs)
	}
}
