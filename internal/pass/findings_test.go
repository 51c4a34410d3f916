package pass

import (
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
