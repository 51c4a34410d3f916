package pass

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/programs"
	"github.com/vtrace/vtrace/internal/source"
)

// TestLateDeadlines: errors for which a goroutine has to be slow to set a deadline are found
// by replays of the trace that has the deadlines in this order; and if the program sets them
// in steps that the trace does not tell apart, its refutation is not the last word: then one of
// some hundred random schedules near the traces shows them (see manyRuns).
func TestLateDeadlines(t *testing.T) {
	programs.InLong(t)
	for name, most := range map[string]int{"h8_context": replayEnvironments + 1, "h8_started": 10 * mostRuns} {
		t.Run(name, func(t *testing.T) {
			spec, _ := unpack(t, "testdata/verdicts/"+name+".txtar")
			b, err := Check(context.Background(), spec, Options{})
			require.NoError(t, err)
			require.Equal(t, outcomeReal, outcomeOf(b), describe(b))
			for _, f := range b.Findings() {
				if f.Verdict == artifact.Real {
					require.LessOrEqual(t, f.Runs, most, describe(b))
					require.NotEmpty(t, f.Stalls)
					require.Equal(t, artifact.StallShort, f.Stall)
				}
			}
		})
	}
}

// TestShownIsNotFalse: what a run has shown is not called false as well, since no trace of the
// model could be followed to it: deadlines in an order that its plan does not tell, or time
// that the plan lets pass to what has happened already.
func TestShownIsNotFalse(t *testing.T) {
	programs.InLong(t)
	for _, name := range []string{"deadlinegivenfunc", "deadlineabsolute"} {
		t.Run(name, func(t *testing.T) {
			b, err := Check(context.Background(), source.Spec{Dir: "../../internal/translate/testdata/verdicts/" + name, Entry: "main"}, Options{})
			require.NoError(t, err)
			require.Len(t, b.Findings(), 1, describe(b))
			require.Equal(t, artifact.Real, b.Findings()[0].Verdict, describe(b))
			require.NotZero(t, b.Findings()[0].Trace)
		})
	}
}
