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
	}, limits(queries, verdicts, nil))
}
