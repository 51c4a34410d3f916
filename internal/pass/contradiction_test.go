package pass

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
)

// Two searches of one model that do not agree prove nothing.
func TestContradictions(t *testing.T) {
	queries := []artifact.Query{{Number: 1, Formula: "A[] a"}, {Number: 2, Formula: "A[] b"}, {Number: 3, Formula: "A[] c"}, {Number: 4, Formula: "A[] d"}}
	b := artifact.New(artifact.Manifest{Pass: artifact.PassFirst})
	b.SetQueries([]artifact.Query{queries[0], queries[1], queries[2], {Number: 4, Formula: "A[] another"}})
	b.SetVerdicts([]artifact.Verdict{{Query: 1, Result: "F"}, {Query: 2, Result: "T"}, {Query: 3, Result: "M"}, {Query: 4, Result: "F"}})
	first, err := b.Bundle()
	require.NoError(t, err)
	found := &searched{
		verdicts: []artifact.Verdict{{Query: 1, Result: "T"}, {Query: 2, Result: "F"}, {Query: 3, Result: "F"}, {Query: 4, Result: "T"}},
		traces:   []*artifact.Trace{nil, {}, {}, nil},
	}
	contradictions(first, queries, found)
	results := ""
	for _, v := range found.verdicts {
		results += v.Result
	}
	require.Equal(t, "EEFT", results)
	require.Nil(t, found.traces[1])
	require.NotNil(t, found.traces[2])
	require.Contains(t, found.verdicts[0].Reason, "the passes contradict each other")
}
