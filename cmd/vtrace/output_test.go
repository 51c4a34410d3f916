package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace"
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

// TestFindingsOfOneCause: what has been printed of an earlier finding is not printed again.
func TestFindingsOfOneCause(t *testing.T) {
	sides := []artifact.FindingGoroutine{{Site: "p.f#1", Operation: "write of n"}, {Site: "p.g#1", Operation: "read of n"}}
	race := vtrace.Finding{Number: 2, Verdict: vtrace.Real, Kind: artifact.KindRace, Cause: "two access n", Goroutines: sides[:1]}
	told := newTold()
	told.findings = append(told.findings, vtrace.Finding{Number: 1, Verdict: vtrace.Real, Kind: artifact.KindRace, Goroutines: sides})
	var out strings.Builder
	writeFinding(&out, nil, race, "", told)
	require.Equal(t, "\n2. REAL: data race\n   on the variable of 1, in other statements: two access n\n", out.String())

	steps := []artifact.FindingStep{{Step: 1, G: "0", File: "p.go", Line: 3, Text: "c <- 1", Operation: "send"}}
	out.Reset()
	writeInterleaving(&out, vtrace.Finding{Number: 3, Interleaving: steps}, told)
	require.Contains(t, out.String(), "c <- 1")
	out.Reset()
	writeInterleaving(&out, vtrace.Finding{Number: 4, Interleaving: steps}, told)
	require.Equal(t, "   interleaving: that of 3\n", out.String())
	out.Reset()
	steps[0].Line = 4
	writeInterleaving(&out, vtrace.Finding{Number: 5, Interleaving: steps}, told)
	require.Contains(t, out.String(), "c <- 1")
}
