package analyze_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/analyze"
)

// Traces that have lost something, or do not fit together, are analysed as far as they go, and the result
// says so.
func TestIncomplete(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, trace string
		clocks      []string
		coverage    analyze.Coverage
		limits      []string
	}{{
		name: "what it names is not recorded",
		trace: `chan x 0
chan y 1
mutex m
goroutine 1
  go 2
  recv x from 2.1
  recv y from 2.2
  lock m from 2.3
goroutine 2 of 1 truncated`,
		clocks:   []string{"1.2 [2,0] [2,0]", "1.3 [3,0] [3,0]", "1.4 [4,0] [4,0]"},
		coverage: analyze.Coverage{Orders: 1, Distinct: 1, Complete: true},
		limits:   []string{},
	}, {
		// The end of the send was lost, and it was done nevertheless.
		name: "end of a send",
		trace: `chan x 0
goroutine 1
  go 2
  recv x from 2.1
goroutine 2 of 1 truncated
  send x pending`,
		clocks:   []string{"1.2 [2,0] [2,1]", "2.1 [1,1] -"},
		coverage: analyze.Coverage{Orders: 1, Distinct: 1, Complete: true},
		limits:   []string{},
	}, {
		name: "end of a send to a buffer",
		trace: `chan x 1
goroutine 1
  go 2
  recv x from 2.1
goroutine 2 of 1 truncated
  select send x, recv x pending`,
		clocks:   []string{"1.2 [2,0] [2,1]", "2.1 [1,1] -"},
		coverage: analyze.Coverage{Orders: 1, Distinct: 1, Complete: true},
		limits:   []string{},
	}, {
		name: "a partner that is none",
		trace: `chan x 0
chan y 0
goroutine 1
  go 2
  recv x from 2.1
goroutine 2 of 1
  send y`,
		clocks:   []string{"1.2 [2,0] [2,0]"},
		coverage: analyze.Coverage{Orders: 1, Distinct: 1, Complete: true, Mismatched: 1},
		limits:   []string{"1 operation names a partner that cannot be one"},
	}, {
		// Each has to wait for the other one.
		name: "a circle",
		trace: `chan x 0
mutex m
goroutine 1
  go 2
  recv x from 2.2
  unlock m
goroutine 2 of 1
  lock m from 1.3
  send x`,
		clocks:   []string{"1.2 [2,0] [2,0]", "2.1 [1,1] [3,1]", "2.2 [3,2] [3,2]"},
		coverage: analyze.Coverage{Orders: 1, Distinct: 1, Complete: true, Forced: 2},
		limits:   []string{"the trace is not whole: what 2 operations waited for is not recorded, or does not fit"},
	}, {
		// Somebody who is not recorded has received the first value.
		name: "a value for nobody",
		trace: `chan x 1
goroutine 1
  go 2
  send x
  send x
goroutine 2 of 1
  recv x from 1.3`,
		clocks:   []string{"1.2 [2,0] [2,0]", "1.3 [3,0] [3,0]", "2.1 [1,1] [3,1]"},
		coverage: analyze.Coverage{Orders: 1, Distinct: 1, Complete: true},
		limits:   []string{},
	}} {
		t.Run(c.name, func(t *testing.T) {
			tr := parse(t, c.trace)
			clocks, cov, err := analyze.Replay(tr, analyze.Limits{})
			require.NoError(t, err)
			require.Equal(t, c.coverage, cov)
			require.Equal(t, c.clocks, clocksOf(t, clocks, c.clocks))
			r, err := analyze.Analyze(tr, analyze.Limits{})
			require.NoError(t, err)
			require.Equal(t, c.limits, r.Limits)
			require.Equal(t, c.coverage, r.Coverage)
		})
	}
}
