package pass

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/approximation"
	"github.com/vtrace/vtrace/internal/orchestrate"
)

// TestWithoutShown: what was shown is not left open.
func TestWithoutShown(t *testing.T) {
	open := func(kind string, line int) artifact.Approximation {
		return artifact.Approximation{Kind: kind, File: "a_test.go", Line: line, Col: 3}
	}
	side := &artifact.Sidecar{Approximations: []artifact.Approximation{
		open(approximation.Assertion, 1), open(approximation.Failure, 1), open(approximation.Assertion, 2), open(approximation.Number, 1), open(approximation.Failure, 3),
	}}
	found := []artifact.Finding{{Verdict: artifact.Real, File: "a_test.go", Line: 1, Col: 3}, {Verdict: artifact.False, File: "a_test.go", Line: 3, Col: 3}}
	require.Equal(t, side.Approximations[2:], withoutShown(side, found).Approximations)
	require.Len(t, side.Approximations, 5)
	require.Nil(t, withoutShown(nil, found))
}

// TestSortFindings: what is certain is read first, and each verdict by place.
func TestSortFindings(t *testing.T) {
	var all []artifact.Finding
	for _, verdict := range []string{artifact.False, artifact.Note, artifact.Unconfirmed, artifact.Possible, artifact.TimingDependent, artifact.Real} {
		all = append(all, artifact.Finding{Verdict: verdict, File: "b.go", Line: 2}, artifact.Finding{Verdict: verdict, File: "b.go", Line: 1}, artifact.Finding{Verdict: verdict, File: "a.go", Line: 9})
	}
	sortFindings(all)
	for i, verdict := range []string{artifact.Real, artifact.TimingDependent, artifact.Possible, artifact.Unconfirmed, artifact.Note, artifact.False} {
		for k, at := range []artifact.Finding{{File: "a.go", Line: 9}, {File: "b.go", Line: 1}, {File: "b.go", Line: 2}} {
			at.Verdict, at.Number = verdict, 3*i+k+1
			require.Equal(t, at, all[3*i+k])
		}
	}
}

// TestSaidAtEnd: what a test or a program has said where it has failed, without the time that it was.
func TestSaidAtEnd(t *testing.T) {
	d := &deep{side: &artifact.Sidecar{Sites: []artifact.Site{{}, {ID: 1, File: "a/m_test.go", Line: 9}, {ID: 2, File: "a/m_test.go", Line: 12}}}}
	failed := "=== RUN TestF\n    m_test.go:9: first\n    m_test.go:12: second\n        m_test.go:12: third\n"
	for _, row := range []struct {
		finding        artifact.Finding
		stdout, stderr string
		want           string
	}{
		{artifact.Finding{Kind: artifact.KindTestFailure, File: "a/m_test.go", Line: 9}, failed, "", "test failure: first"},
		{artifact.Finding{Kind: artifact.KindTestFailure, File: "a/m_test.go", Line: 12}, failed, "", "test failure: second"},
		{artifact.Finding{Kind: artifact.KindTestFailure, File: "a/m_test.go", Line: 7}, failed, "", ""},
		{artifact.Finding{Kind: artifact.KindExit}, failed, "", ""},
		{artifact.Finding{Kind: artifact.KindExit}, "", "starting\n2026/11/28 06:30:00 no such product\n", "exit status 1: no such product"},
		{artifact.Finding{Kind: artifact.KindExit}, "", "2026/11/28 06:30:00.123456 x\n\n", "exit status 1: x"},
		{artifact.Finding{Kind: artifact.KindExit}, "", "usage: m FILE", "exit status 1: usage: m FILE"},
		{artifact.Finding{Kind: artifact.KindPanic}, failed, "boom", ""},
	} {
		v := &orchestrate.Verdict{Message: "exit status 1", Stdout: row.stdout, Stderr: row.stderr}
		require.Equal(t, row.want, d.saidAtEnd(&row.finding, v), "%+v", row)
	}
}

// TestConcludeTimingDependent: where all schedules without a stall were run, what the model leaves open can only be more that
// depends on timing.
func TestConcludeTimingDependent(t *testing.T) {
	open := []string{"neither found nor ruled out: deadlock: no time", "the check was ended after 9 runs of the program: no time"}
	all := artifact.Exhaustive{Complete: true, Timed: true}
	for name, row := range map[string]struct {
		verdict    string
		exhaustive artifact.Exhaustive
		plain      string
		want       []string
	}{
		"all of them":           {artifact.TimingDependent, all, "", nil},
		"not all of them":       {artifact.TimingDependent, artifact.Exhaustive{Timed: true}, "", append(slices.Clone(open), "whether it fails also while nobody is slow is not known: not all schedules in which time passes only when nothing else can happen were run")},
		"nothing found":         {artifact.False, all, "", open},
		"one that may be real":  {artifact.Unconfirmed, all, "", open},
		"something unexplained": {artifact.TimingDependent, all, "exit status 2", append([]string{"the program as it is, not under control, has failed, which nothing here explains: exit status 2"}, open...)},
	} {
		t.Run(name, func(t *testing.T) {
			b := artifact.New(artifact.Manifest{})
			b.SetQueries([]artifact.Query{{Number: 1, Description: "deadlock"}})
			b.SetVerdicts([]artifact.Verdict{{Query: 1, Result: "M", Reason: "no time"}})
			b.SetFindings([]artifact.Finding{{Number: 1, Verdict: row.verdict, Kind: artifact.KindTestFailure}})
			b.SetRuns(&artifact.Runs{Runs: 9, Cut: "no time", Exhaustive: &row.exhaustive, FailsPlain: row.plain})
			bundle, err := b.Bundle()
			require.NoError(t, err)
			require.Equal(t, row.want, Conclude(bundle).Limits)
		})
	}
}
