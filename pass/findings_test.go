package pass

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
)

// TestLimits requires that queries which are undecided for one reason are listed
// one by one if they are few, and summed up otherwise.
func TestLimits(t *testing.T) {
	var queries []artifact.Query
	var verdicts []artifact.Verdict
	ask := func(category, description, result, reason string) {
		n := len(queries) + 1
		queries = append(queries, artifact.Query{Number: n, Category: category, Description: description})
		verdicts = append(verdicts, artifact.Verdict{Query: n, Result: result, Reason: reason})
	}
	ask("channel safety", "close of closed channel", "M", "memory budget reached")
	ask("goroutine leak", "a goroutine can never go on", "M", "time budget reached")
	ask("goroutine leak", "a goroutine can never go on at send", "T", "")
	ask("channel safety", "send on closed channel", "M", "memory budget reached")
	ask("goroutine exits with panic", "a panic is not recovered", "M", "memory budget reached")
	ask("channel safety", "close of nil channel", "M", "memory budget reached")
	require.Equal(t, []string{
		"4 of 6 queries are undecided: memory budget reached (channel safety, goroutine exits with panic)",
		"query 2 (a goroutine can never go on) is undecided: time budget reached",
	}, limits(queries, verdicts, nil, false))
}

// TestOutOfControl: with runs that got out of control nothing is said to have no error, but if
// all schedules were run.
func TestOutOfControl(t *testing.T) {
	concluded := func(r artifact.Runs) Conclusion {
		b := artifact.New(artifact.Manifest{Pass: artifact.PassDeep})
		b.SetRuns(&r)
		bundle, err := b.Bundle()
		require.NoError(t, err)
		return Conclude(bundle)
	}
	require.False(t, concluded(artifact.Runs{Runs: 100}).Inconclusive())
	c := concluded(artifact.Runs{Runs: 100, Uncontrolled: 1})
	require.True(t, c.Inconclusive())
	require.Equal(t, []string{"1 of 100 runs of the program got out of control: what they might have shown is not known"}, c.Limits)
	all := &artifact.Exhaustive{Complete: true, Schedules: 1}
	require.False(t, concluded(artifact.Runs{Runs: 100, Uncontrolled: 1, Exhaustive: all}).Inconclusive())
}
