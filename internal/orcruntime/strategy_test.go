package orcruntime

import (
	"flag"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

var strategyRuns = flag.Int("orc.strategies", 1, "how many times as many runs the tests of strategies do")

// chains is a program with some goroutines, each of which accesses memory so many times; log
// gets who does.
func chains(lengths []int, log func(g int)) func() {
	return func() {
		for i, n := range lengths {
			Go(1, func() {
				for range n {
					Access(2)
					log(i)
				}
			})
		}
	}
}

// under runs a program under a strategy, and counts what key says of each run.
func under(t *testing.T, s Strategy, runs int, main func(), begin func(), key func(Result) string) map[string]int {
	t.Helper()
	cfg := Config{Bubble: bubble(t), Main: main, Entry: EntryTest}
	p, _ := profileOf(func(c Chooser, seed uint64) Result {
		begin()
		return Run(chosen(cfg, c, seed, true))
	})
	known := newStrategies(p)
	out := map[string]int{}
	for seed := range uint64(runs) {
		begin()
		c, err := known.chooser(s, seed)
		require.NoError(t, err)
		out[key(Run(chosen(cfg, c, seed, true)))]++
	}
	return out
}

// spread is by how much a number of times that is expected to be n differs by chance.
func spread(n float64) float64 { return 4 * math.Sqrt(n) }

// The selectively uniform random walk has all interleavings of the steps that matter with the
// same probability, where goroutines have done as many as in the profile; a random walk has not.
func TestSURWIsUniform(t *testing.T) {
	inLong(t)
	runs := 800 * *strategyRuns
	for _, lengths := range [][]int{{2, 3}, {1, 4}, {1, 1, 2}} {
		interleavings, all := 1.0, 0
		for _, n := range lengths {
			for i := range n {
				all++
				interleavings = interleavings * float64(all) / float64(i+1)
			}
		}
		chi := func(s Strategy) float64 {
			var word strings.Builder
			main := chains(lengths, func(g int) { fmt.Fprint(&word, g) })
			got := under(t, s, runs, main, word.Reset, func(Result) string { return word.String() })
			want, sum := float64(runs)/interleavings, 0.0
			for _, n := range got {
				sum += (float64(n) - want) * (float64(n) - want) / want
			}
			return sum + (interleavings-float64(len(got)))*want
		}
		// The expected value is that of the degrees of freedom, with a variance of twice that.
		free := interleavings - 1
		limit := free + spread(2*free)
		require.Less(t, chi(StrategySURW), limit, lengths)
		require.Greater(t, chi(StrategyRandom), 2*limit, lengths)
	}
}

// PCT shows an error of depth d at least as often as it promises: here that the goroutines come to
// their sites in one particular order, which takes so many preemptions.
func TestPCTFinds(t *testing.T) {
	inLong(t)
	runs := 800 * *strategyRuns
	for depth, order := range map[int]string{1: "1100", 2: "0110", 3: "0101"} {
		var word strings.Builder
		main := chains([]int{2, 2}, func(g int) { fmt.Fprint(&word, g) })
		p, _ := profileOf(func(c Chooser, seed uint64) Result {
			return Run(Config{Bubble: bubble(t), Main: main, Entry: EntryTest, Chooser: c})
		})
		got := under(t, Strategy(fmt.Sprintf("pct:%d", depth)), runs, main, word.Reset, func(Result) string { return word.String() })
		bound := 1 / (3 * math.Pow(float64(p.Choices), float64(depth-1)))
		require.Greater(t, float64(got[order]), float64(runs)*bound-spread(float64(runs)*bound), "depth %d: %v", depth, got)
	}
	// Without a change point a goroutine goes on until its end.
	var word strings.Builder
	got := under(t, "pct:1", 300, chains([]int{2, 2}, func(g int) { fmt.Fprint(&word, g) }), word.Reset, func(Result) string { return word.String() })
	require.Len(t, got, 2, "%v", got)
}

// Under POS the steps of two chains that do not depend on each other leave the order of those
// that do alone: the one step of the one goroutine is behind the m-th of the other with a
// probability of 1/(m+1), and of 1/2ᵐ under a random walk.
func TestPOSOfChains(t *testing.T) {
	inLong(t)
	const m = 7
	runs := 700 * *strategyRuns
	late := func(s Strategy) float64 {
		var x sync.Mutex
		first := ""
		main := func() {
			var wg sync.WaitGroup
			Add(1, &wg, 2)
			use := func(site Site, name string) {
				Lock(site, &x)
				if first == "" {
					first = name
				}
				Unlock(site+1, &x)
			}
			Go(2, func() {
				use(10, "short")
				Done(12, &wg)
			})
			Go(3, func() {
				var own sync.Mutex
				for range (m - 1) / 2 {
					Lock(20, &own)
					Unlock(21, &own)
				}
				use(22, "long")
				Done(24, &wg)
			})
			Wait(4, &wg)
		}
		got := under(t, s, runs, main, func() { first = "" }, func(Result) string { return first })
		return float64(got["long"]) / float64(runs)
	}
	// With the two Start guards the chains have more steps.
	require.InDelta(t, 1.0/8, late(StrategyPOS), 0.06)
	require.Less(t, late(StrategyRandom), 0.03)
}

// Each schedule with at most so many delays comes with the probability that is promised, and no
// other one does.
func TestDelays(t *testing.T) {
	inLong(t)
	runs := 800 * *strategyRuns
	var word strings.Builder
	main := chains([]int{2, 2, 1}, func(g int) { fmt.Fprint(&word, g) })
	p, _ := profileOf(func(c Chooser, seed uint64) Result {
		return Run(Config{Bubble: bubble(t), Main: main, Entry: EntryTest, Chooser: c})
	})
	counts := map[int]int{}
	for n := range 3 {
		got := under(t, Strategy(fmt.Sprintf("delay:%d", n)), runs, main, word.Reset, func(Result) string { return word.String() })
		counts[n] = len(got)
		bound := math.Pow(1/float64(p.Choices+1), float64(n))
		for order, times := range got {
			require.Greater(t, float64(times), float64(runs)*bound-spread(float64(runs)*bound), "%d delays: %s", n, order)
		}
	}
	require.Equal(t, 1, counts[0])
	require.Greater(t, counts[1], 3)
	require.Greater(t, counts[2], counts[1])
}

// missed are the ends that a strategy does not show in so few runs: it would need more preemptions or
// delays than there are.
var missed = map[string]string{
	"pct double unlock": KindUnlockUnlocked, "pct a sleep of random length": KindSendOnClosed,
	"fuzz callbacks at one instant": KindPanic,
	"delay double unlock":           KindUnlockUnlocked, "delay callbacks at one instant": KindPanic,
}

// Strategies find every way in which small programs can end, and a run is a function of its seed.
func TestStrategies(t *testing.T) {
	inLong(t)
	runs := 60 * *strategyRuns
	for _, s := range append(Strategies(), "pct:1", "delay:0") {
		t.Run(string(s), func(t *testing.T) {
			for _, p := range programs {
				kinds, ran := map[string]bool{}, 0
				left, tainted := Explore(Exploration{
					Config: p.config(bubble(t)), Runs: runs, Strategy: s,
					Ran:   func(int, Result) { ran++ },
					Found: func(_ int, _ uint64, res Result) { kinds[res.Outcome.Kind] = true },
				})
				require.Empty(t, left, p.name)
				require.False(t, tainted, p.name)
				require.Equal(t, runs, ran)
				if s == "pct:1" || s == "delay:0" || *strategyRuns < 4 {
					continue // they find nothing that takes a preemption; or there are too few runs
				}
				for _, k := range p.outcomes {
					require.True(t, kinds[k] || missed[string(s)+" "+p.name] == k, "%s: %q", p.name, k)
				}
			}
		})
	}
}

// One who adds to a WaitGroup passes a check first, which the one who waits ends: StrategyReuse has him add at the moment
// of each error in one run of ten, where random schedules hardly do.
func TestReuse(t *testing.T) {
	runs := 150 * *strategyRuns
	main := func() {
		var wg sync.WaitGroup
		closed := false
		for range 2 {
			Go(1, func() {
				Access(2)
				if closed {
					return
				}
				Add(3, &wg, 1)
				Access(4)
				Done(5, &wg)
			})
		}
		Access(6)
		closed = true
		Wait(7, &wg)
	}
	misuse := func(s Strategy) map[string]int {
		return under(t, s, runs, main, func() {}, func(r Result) string { return r.Outcome.Message })
	}
	by, random := misuse(StrategyReuse), misuse(StrategyRandom)
	for _, message := range []string{addDuringWait, reusedEarly} {
		require.Greater(t, by["panic: "+message], runs/10, "%v", by)
		require.Less(t, random["panic: "+message], runs/20, "%v", random)
	}
	require.NoError(t, StrategyReuse.Check())
	require.NotContains(t, Strategies(), StrategyReuse)
}

// A reader of four values under one lock sees each of them of another round of a writer: goroutines that go on side by side
// come to it in one run of twenty, random ones hardly.
func TestEven(t *testing.T) {
	runs := 200 * *strategyRuns
	var word strings.Builder
	main := func() {
		const n = 4
		var mu sync.Mutex
		var values [n]int
		Go(1, func() {
			for round := 1; round < n; round++ {
				for i := range n {
					Lock(2, &mu)
					values[i] = round
					Unlock(3, &mu)
				}
			}
		})
		for i := range n {
			Lock(4, &mu)
			fmt.Fprint(&word, values[i])
			Unlock(5, &mu)
		}
	}
	found := func(s Strategy) int {
		return under(t, s, runs, main, word.Reset, func(Result) string { return word.String() })["0123"]
	}
	even, random := found(StrategyEven), found(StrategyRandom)
	require.Greater(t, even, runs/20)
	require.Less(t, random, runs/50)
	require.NotContains(t, Strategies(), StrategyEven)
}

func TestStrategyNames(t *testing.T) {
	for _, s := range append(Strategies(), "pct:1", "delay:0", "pct:100") {
		require.NoError(t, s.Check())
	}
	for _, s := range []Strategy{"", "luck", "pct:0", "pct:", "pct:101", "delay:-1", "random:2", "pos:x"} {
		require.Error(t, s.Check(), s)
	}
}
