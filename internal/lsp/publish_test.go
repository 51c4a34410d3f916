package lsp

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
)

// TestSeverities: an unconfirmed error that the program did not do when it was tried is no warning.
func TestSeverities(t *testing.T) {
	for _, c := range []struct {
		finding artifact.Finding
		want    int
	}{
		{artifact.Finding{Verdict: artifact.Real, Refuted: 1}, severityError},
		{artifact.Finding{Verdict: artifact.Unconfirmed}, severityWarning},
		{artifact.Finding{Verdict: artifact.Unconfirmed, Refuted: 1}, severityInformation},
		{artifact.Finding{Verdict: artifact.Note}, severityInformation},
	} {
		severity, ok := severityOf(c.finding)
		require.True(t, ok)
		require.Equal(t, c.want, severity, c.finding)
	}
	_, ok := severityOf(artifact.Finding{Verdict: artifact.False, Refuted: 1})
	require.False(t, ok)
}
