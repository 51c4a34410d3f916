package orcruntime

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAlong: the guide that a run has left leads to the same run, and to the same
// end also with steps that cannot be done.
func TestAlong(t *testing.T) {
	inLong(t)
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			run := func(c Chooser) Result {
				cfg := p.config(bubble(t))
				cfg.Chooser, cfg.Record = c, true
				return Run(cfg)
			}
			same, near := 0, 0
			for seed := range uint64(40) {
				first := run(Random(seed))
				guide := first.Trace
				require.Equal(t, first.Trace, run(Along([][]Step{guide}, 0)).Trace, "seed %d", seed)
				var other []Step
				for i, st := range guide {
					if st.G == TimeStep {
						other = append(other, st) // twice
					}
					if i%5 == 3 {
						other = append(other, Step{G: "0.9", Site: st.Site})
					}
					other = append(other, st)
				}
				for k := range uint64(8) {
					near++
					if run(Along([][]Step{other}, 4*k)).end() == first.end() {
						same++
						break
					}
				}
			}
			t.Logf("%d of 40 ends, in %d runs", same, near)
			require.GreaterOrEqual(t, same, 36)
		})
	}
}

// TestAlongRandom: without guides, and in every fourth run, choices are those of
// Random.
func TestAlongRandom(t *testing.T) {
	guide := []Step{{G: "0", Site: "#1"}}
	views := []View{{Ready: make([]Parked, 5)}, {Ready: make([]Parked, 3), Time: true}, {}}
	for seed := range uint64(20) {
		for _, guides := range [][][]Step{nil, {guide}} {
			a, r := Along(guides, seed), Random(seed)
			equal := true
			for range 10 {
				for _, v := range views {
					equal = equal && a.Next(v) == r.Next(v)
				}
			}
			require.Equal(t, true, equal || guides != nil && seed%4 != 3, "seed %d", seed)
		}
	}
}

// TestExploreExpected: the first run that shows what is expected is the last, and
// a goroutine without a name is any of them.
func TestExploreExpected(t *testing.T) {
	if testing.Short() {
		t.Skip("other tests have the same goroutines for the race detector")
	}
	for _, p := range programs {
		for _, kind := range p.outcomes {
			if kind == "" {
				continue
			}
			explore := func(e Expect) (ran int, shown []Result) {
				cfg := p.config(bubble(t))
				cfg.Plan.Expect = e
				Explore(Exploration{Config: cfg, Runs: 400, Ran: func(_ int, r Result) {
					if ran++; r.Verdict == Reproduced {
						shown = append(shown, r)
					}
				}, Found: func(int, uint64, Result) {}})
				return ran, shown
			}
			ran, shown := explore(Expect{Kind: kind})
			require.Len(t, shown, 1, "%s: %s in %d runs", p.name, kind, ran)
			seen := shown[0].Observed()
			for i := range seen.Goroutines {
				at := slices.Clone(seen.Goroutines)
				at[i].G = ""
				again, shown := explore(Expect{Kind: kind, Goroutines: at})
				require.Len(t, shown, 1, "%s: %s", p.name, kind)
				require.Equal(t, ran, again)
				at[i].Site = "#98"
				_, shown = explore(Expect{Kind: kind, Goroutines: at})
				require.Empty(t, shown, "%s: %s", p.name, kind)
			}
		}
	}
}
