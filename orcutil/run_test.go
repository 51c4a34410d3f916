package orcutil

import (
	"flag"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

var (
	stressPlans   = flag.Int("orc.plans", 20, "random plans per program")
	stressReplays = flag.Int("orc.replays", 5, "replays per plan")
)

func (p testProgram) config(b Bubble) Config {
	return Config{Bubble: b, Main: p.main, Entry: p.entry, EndSite: endSite, Record: true}
}

// TestOutcomes explores every program at random: it ends in all the ways it
// can, and in no other.
func TestOutcomes(t *testing.T) {
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			seen := map[string]int{}
			for seed := range 400 {
				cfg := p.config(bubble(t))
				cfg.Chooser = Random(uint64(seed))
				res := Run(cfg)
				require.Equal(t, Completed, res.Verdict, "%s", res)
				require.Empty(t, res.Notes[len(res.Notes):])
				require.False(t, res.Weak, "%s", res)
				if seen[res.Outcome.Kind]++; !slices.Contains(p.outcomes, res.Outcome.Kind) {
					t.Fatalf("seed %d: unexpected end\n%s", seed, res)
				}
			}
			for _, k := range p.outcomes {
				require.NotZero(t, seen[k], "never ended with %q: %v", k, seen)
			}
		})
	}
}

// TestReplay replays recorded random runs and compares everything.
func TestReplay(t *testing.T) {
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			for seed := range *stressPlans {
				cfg := p.config(bubble(t))
				cfg.Chooser = Random(uint64(seed))
				first := Run(cfg)
				for range *stressReplays {
					cfg := p.config(bubble(t))
					cfg.Plan.Steps = first.Trace
					again := Run(cfg)
					require.Equal(t, first.Verdict, again.Verdict, "seed %d\n%s\n%s", seed, first, again)
					require.Equal(t, first.Trace, again.Trace, "seed %d", seed)
					require.Equal(t, first.Log, again.Log, "seed %d", seed)
					require.Equal(t, first.Outcome, again.Outcome, "seed %d", seed)
					require.Equal(t, first.Goroutines, again.Goroutines, "seed %d", seed)
				}
			}
		})
	}
}

// TestNothingLeft: runs end all their goroutines.
func TestNothingLeft(t *testing.T) {
	before := runtime.NumGoroutine()
	for i := range 1000 {
		p := programs[i%len(programs)]
		cfg := p.config(bubble(t))
		cfg.Chooser = Random(uint64(i))
		Run(cfg)
	}
	for range 100 {
		runtime.Gosched()
	}
	require.LessOrEqual(t, runtime.NumGoroutine(), before)
}

func BenchmarkSchedules(b *testing.B) {
	for _, p := range programs {
		b.Run(p.name, func(b *testing.B) {
			steps := 0
			// A bubble needs a *testing.T; outside one, programs without timers
			// do the same.
			for i := 0; b.Loop(); i++ {
				cfg := p.config(Bubble{})
				cfg.Chooser, cfg.Record, cfg.NoLog, cfg.Patience = Random(uint64(i)), false, true, 1
				steps += Run(cfg).Steps
			}
			b.ReportMetric(float64(steps)/float64(b.N), "steps/run")
		})
	}
}

var _ = synctest.Wait
