package pass

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
)

// TestDoubtRefuted: what the program follows no trace to is not called false by a check that was
// interrupted before the runs that could have shown it, unless all schedules were run.
func TestDoubtRefuted(t *testing.T) {
	all := &artifact.Exhaustive{Schedules: 3, Complete: true}
	for _, c := range []struct {
		runs artifact.Runs
		want string
	}{
		{artifact.Runs{Runs: 1000}, artifact.False},
		{artifact.Runs{Runs: 7, Cut: "it was interrupted"}, artifact.Unconfirmed},
		{artifact.Runs{Runs: 7, Cut: "it was interrupted", Exhaustive: all}, artifact.False},
	} {
		refuted, real := &suspect{decided: true, outcome: artifact.False, reason: "none"}, &suspect{decided: true, outcome: artifact.Real}
		d := &deep{runs: c.runs, cases: []*suspect{refuted, real}}
		d.doubtRefuted()
		require.Equal(t, c.want, refuted.outcome, "%+v", c.runs)
		require.Equal(t, artifact.Real, real.outcome)
	}
}
