package orcruntime

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// FuzzPlan follows arbitrary plans: whatever they say, the run ends with a
// verdict, and what was done can be done again. Coverage depends on scheduling:
// fuzz with -fuzzminimizetime 5x, or minimising takes all the time.
func FuzzPlan(f *testing.F) {
	for i := range programs {
		f.Add(i, "0 #1, 0.1 #1.start, T, 0 #2/-, 0.1 #2/1, 0 #99", KindDeadlock)
	}
	f.Add(0, "0 #1, 0 #4, 0.1 #2, 0.1 #3/-, 0 #5", KindDeadlock)
	f.Add(3, "0 #1, 0.1 #2", KindNegativeCounter)
	f.Add(6, "0 #1, T, T, T, F@#4.1 #5", KindLeak)
	verdicts := []string{Reproduced, Infeasible, NotReproduced, Completed, Limit}
	f.Fuzz(func(t *testing.T, program int, plan, kind string) {
		if len(plan) > 1000 {
			return
		}
		p := programs[uint(program)%uint(len(programs))]
		cfg := p.config(bubble(t))
		cfg.Plan = Plan{Steps: steps(plan), Expect: Expect{Kind: kind}, MaxSteps: 500}
		cfg.Watchdog = 3 * time.Second
		first := Run(cfg)
		require.True(t, slices.Contains(verdicts, first.Verdict), "%s", first)
		if first.Verdict == Infeasible {
			require.Positive(t, first.Step)
			require.NotEmpty(t, first.Found)
			return
		}
		cfg = p.config(bubble(t))
		cfg.Plan = Plan{Steps: first.Trace, Expect: Expect{Kind: kind}, MaxSteps: 500}
		again := Run(cfg)
		require.Equal(t, first.Verdict, again.Verdict, "%s\n%s", first, again)
		require.Equal(t, first.Outcome, again.Outcome)
		require.Equal(t, first.Log, again.Log)
	})
}

// FuzzKey: keys of sites lead back to them.
func FuzzKey(f *testing.F) {
	f.Add("#3.start")
	f.Add("p.main$1#1.start")
	f.Add("#-1")
	f.Fuzz(func(t *testing.T, key string) {
		if site, ok := siteOf(key); ok {
			again, ok := siteOf(site.key())
			require.True(t, ok && again == site, "%q %d", key, site)
			require.Equal(t, strings.HasSuffix(key, startSuffix), strings.HasSuffix(site.key(), startSuffix))
		}
	})
}
