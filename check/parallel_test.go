package check

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWorkersAgree: the number of workers changes neither states nor traces.
func TestWorkersAgree(t *testing.T) {
	models := map[string]struct {
		text     string
		formulas []string
	}{
		"philosophers": {philosophers(9), []string{"A[] not deadlock", "E<> Phil(3).eat and Phil(5).eat and Phil(7).drop", "A[] not (Phil(0).eat and Phil(1).eat)"}},
		"buffer":       {buffer(2, 5), []string{"A[] n <= C", "E<> n == C and last == 2 and Consumer.ready", "A[] not deadlock"}},
		"invalid":      {buffer(2, 4) + "", []string{"A[] n < 4", "A[] cell[n] >= 0"}},
		"spawn":        {spawn(6), []string{"E<> Main.done and deadlock", "A[] not (own[2] == 2 and Main.done)"}},
	}
	for name, c := range models {
		for _, reductions := range []Reductions{plain.Reductions, {}} {
			for _, limit := range []int{0, 777} {
				var base *Report
				for workers := 1; workers <= 4; workers++ {
					r := verify(t, c.text, Options{Workers: workers, Reductions: reductions, MaxStates: limit}, c.formulas...)
					r.Stats.Elapsed, r.Stats.Bytes = 0, 0
					if limit > 0 {
						r.Stats.Transitions = 0
					}
					for i := range r.Results {
						if tr := r.Results[i].Trace; tr != nil {
							for k := range tr.States {
								tr.States[k].Locations = nil // of another tree
							}
						}
					}
					if base == nil {
						base = r
					}
					require.Equal(t, base, r, "%s, %d workers", name, workers)
				}
			}
		}
	}
}

// A pass that would keep too many successors is done by one worker.
func TestPassSpills(t *testing.T) {
	text := `
		int[0,7] x; int[0,4095] y;
		template P
		loc a
		a > a select i : int[0,4095] | x < 7 && i % 16 == x | | y = i, x++
		a > a select i : int[0,4095] | x > 6 | | y = i
		system P;`
	var states []int
	for _, workers := range []int{1, 3} {
		r := verify(t, text, Options{Workers: workers, eager: true, MaxMemory: 12 << 20, Reductions: plain.Reductions}, "A[] x < 16")
		require.Equal(t, True, r.Results[0].Verdict, r.Results[0].Reason)
		states = append(states, r.Stats.States, r.Stats.Transitions)
	}
	require.Equal(t, states[:2], states[2:], fmt.Sprint(states))
}
