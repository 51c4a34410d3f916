package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
)

// TestRanNamesGaps: a run that the model cannot do is named beside how many those are, unless
// the limits of the result have named it.
func TestRanNamesGaps(t *testing.T) {
	gap := artifact.Gap{Run: 1, File: "a.go", Line: 3, Col: 1, Reason: "step 2 of 2: the model cannot do it"}
	r := &artifact.Runs{Runs: 1, Schedules: 1, Conformance: &artifact.Conformance{Runs: 1, Gaps: []artifact.Gap{gap}}}
	require.Contains(t, ran(r, nil), "which can do 0 of them\n  "+gap.String()+"\n")
	require.NotContains(t, ran(r, []string{gap.String()}), gap.Reason)
}
