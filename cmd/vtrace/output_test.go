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

// TestWriteCause: each goroutine of which a cause speaks has a line.
func TestWriteCause(t *testing.T) {
	var out strings.Builder
	writeCause(&out, "goroutine 0 waits at a.go:1 for a signal; the last one has woken it; goroutine 0.1 waits; goroutines 1 and 2 too; the goroutine of the timer set at a.go:3 waits; and 2 more wait")
	require.Equal(t, "   goroutine 0 waits at a.go:1 for a signal; the last one has woken it;\n   goroutine 0.1 waits;\n   goroutines 1 and 2 too;\n   the goroutine of the timer set at a.go:3 waits;\n   and 2 more wait\n", out.String())
	out.Reset()
	writeCause(&out, "")
	require.Empty(t, out.String())
}

// TestReasons: reasons have places, and not the keys of sites.
func TestReasons(t *testing.T) {
	for text, want := range map[string]string{
		"expected 0 at example.com/p.(*hall).check#1 (a.go:2: f()); found that": "expected 0 (a.go:2: f()); found that",
		"blocked at example.com/p.f$1@12.zero (a.go:2: f())":                    "blocked (a.go:2: f())",
		"at a.go:3 (twice)": "at a.go:3 (twice)",
	} {
		require.Equal(t, want, siteKeys.ReplaceAllString(text, " ("))
	}
	var out strings.Builder
	writeFinding(&out, nil, vtrace.Finding{Number: 1, Verdict: artifact.Unconfirmed, Kind: artifact.KindPanic, File: "a.go", Line: 2, Reason: "expected 0 at m.f#1 (a.go:2: f())", Interleaving: []artifact.FindingStep{{Step: 1, G: "0", File: "a.go", Line: 2}}}, "", newTold())
	require.Contains(t, out.String(), "   reason: expected 0 (a.go:2: f())\n")
	require.Contains(t, out.String(), "   interleaving, of which no run has confirmed that it leads to the error:\n")
	out.Reset()
	writeFinding(&out, nil, vtrace.Finding{Number: 1, Verdict: artifact.Unconfirmed, Kind: artifact.KindPanic, File: "a.go", Line: 2, Refuted: 3, Reason: "expected 0 at m.f#1 (a.go:2: f())", Interleaving: []artifact.FindingStep{{Step: 1, G: "0", File: "a.go", Line: 2}}}, "", newTold())
	require.Equal(t, "\n1. UNCONFIRMED: panic at a.go:2\n   reason: expected 0 (a.go:2: f())\n", out.String())
	require.Equal(t, " (panicked) at a.go:2\n", goroutineText(nil, vtrace.Finding{File: "a.go", Line: 2}, artifact.FindingGoroutine{G: "0", State: artifact.StatePanicked}))
}

// TestFindingsOfOneCause: what has been printed of an earlier finding is not printed again.
func TestFindingsOfOneCause(t *testing.T) {
	sides := []artifact.FindingGoroutine{{Site: "p.f#1", Operation: "write of n"}, {Site: "p.g#1", Operation: "read of n"}}
	race := vtrace.Finding{Number: 2, Verdict: artifact.Real, Kind: artifact.KindRace, Cause: "two access n", Goroutines: sides[:1]}
	told := newTold()
	told.findings = append(told.findings, vtrace.Finding{Number: 1, Verdict: artifact.Real, Kind: artifact.KindRace, Goroutines: sides})
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

// TestSmallScope: a result names what was shown with smaller numbers, and which those were; its headline says which of them has an
// error, or that none has.
func TestSmallScope(t *testing.T) {
	proved := artifact.SmallScope{
		Numbers: []artifact.SmallNumber{{From: 20, To: 2, At: []string{"a.go:3:1"}}, {From: 1000, To: 3, At: []string{"a.go:4:1", "a.go:5:1", "b.go:6:2"}}},
		Outcome: artifact.ScopeProved, Why: []string{"all 7 schedules of the program that are not equivalent were run"},
	}
	fails := artifact.SmallScope{Numbers: proved.Numbers[:1], Outcome: artifact.ScopeFails, Why: []string{"panic at a.go:9", "deadlock at a.go:3", "goroutine leak at a.go:4", "panic at a.go:5"}}
	unfit := artifact.SmallScope{Numbers: proved.Numbers[:1], Outcome: artifact.ScopeUnfit, Why: []string{"panic at a.go:9"}}
	open := artifact.SmallScope{Numbers: proved.Numbers[:1], Outcome: artifact.ScopeOpen}
	const numbers = "with smaller numbers, 2 in place of 20 (a.go:3:1)"
	require.Equal(t, numbers+", 3 in place of 1000 (a.go:4:1, a.go:5:1, and 1 other place): no error: all 7 schedules of the program that are not equivalent were run", smallScope(proved))
	require.Equal(t, numbers+": it fails in some runs, and in others it does not: panic at a.go:9; deadlock at a.go:3; goroutine leak at a.go:4, and 1 more", smallScope(fails))
	require.Equal(t, numbers+": it fails in every run, most likely since they do not fit each other any more: panic at a.go:9", smallScope(unfit))
	require.Equal(t, numbers+": no error found within bounds", smallScope(open))

	with := func(scopes ...artifact.SmallScope) *artifact.Bundle {
		b := artifact.New(artifact.Manifest{Pass: artifact.PassDeep})
		b.SetSidecar(&artifact.Sidecar{})
		b.SetRuns(&artifact.Runs{Cut: "it was interrupted", SmallScopes: scopes})
		out, err := b.Bundle()
		require.NoError(t, err)
		return out
	}
	require.Equal(t, "no error found within bounds; none with smaller numbers", headline(with(open, proved), nil))
	require.Equal(t, "no error found within bounds; none with smaller numbers", headline(with(unfit, proved), nil))
	require.Equal(t, "no error found within bounds; there is one with smaller numbers", headline(with(fails, proved), nil))
	require.Equal(t, "no error found within bounds", headline(with(unfit), nil))
	require.Equal(t, "no error found within bounds", headline(with(open), nil))
	require.Contains(t, ran(with(open, proved).Runs(), nil), "\n"+smallScope(open)+"\n"+smallScope(proved)+"\n")
}

// TestRemainingText: goroutines of libraries that a test leaves behind are named with its result, and in
// a table of several.
func TestRemainingText(t *testing.T) {
	const want = "note: when the test has ended, goroutines of libraries are still there, perhaps since something is not closed or cancelled:\n  a.f, started by a.g\n  b.f, started by b.g\n"
	out := artifact.New(artifact.Manifest{Pass: artifact.PassDeep, Parent: strings.Repeat("a", 64), Entry: artifact.Entry{Package: "m/p", Func: "TestA"}})
	out.SetRuns(&artifact.Runs{Runs: 1, Schedules: 1, Remaining: []string{"a.f, started by a.g", "b.f, started by b.g"}})
	b, err := out.Bundle()
	require.NoError(t, err)
	var one, several strings.Builder
	require.NoError(t, writeText(&one, b, "", nil))
	require.Contains(t, one.String(), "\n"+want)
	r := checked{entry: vtrace.EntryPoint{Package: "m/p", Func: "TestA"}, bundle: b}
	r.writeLimits(&several)
	require.Contains(t, several.String(), "m/p TestA: "+want)
	require.Empty(t, remaining("", &artifact.Runs{Runs: 1}))
}
