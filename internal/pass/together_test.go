package pass

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
)

// A deadlock of a run in which the test has failed says so, and the failure that the run comes to the deadlock; of
// others nothing is said.
func TestTogether(t *testing.T) {
	t.Parallel()
	steps := []artifact.FindingStep{{Step: 1, G: "0", Site: "go"}, {Step: 2, G: "0.1", Site: "fatal", Operation: "exit", File: "x_test.go", Line: 7}}
	findings := func() []artifact.Finding {
		return []artifact.Finding{
			{Verdict: artifact.Real, Kind: artifact.KindTestFailure, File: "x_test.go", Line: 7, Interleaving: steps},
			{Verdict: artifact.Real, Kind: artifact.KindDeadlock, File: "x_test.go", Line: 9, Cause: "goroutine 0 waits", Interleaving: steps},
		}
	}
	all := findings()
	together(all)
	require.Equal(t, "goroutine 0 waits; in the same run goroutine 0.1 has failed the test before, at x_test.go:7, and has ended there", all[1].Cause)
	require.Equal(t, "goroutine 0.1 fails the test; it ends there, and the same run comes to the deadlock at x_test.go:9", all[0].Cause)

	for name, change := range map[string]func(all []artifact.Finding){
		"elsewhere":     func(all []artifact.Finding) { all[0].Line = 8 },
		"possible":      func(all []artifact.Finding) { all[0].Verdict = artifact.Possible },
		"not confirmed": func(all []artifact.Finding) { all[1].Verdict = artifact.Unconfirmed },
		"another kind":  func(all []artifact.Finding) { all[1].Kind = artifact.KindPanic },
		"not in it":     func(all []artifact.Finding) { all[1].Interleaving = steps[:1] },
	} {
		all := findings()
		change(all)
		together(all)
		require.Equal(t, []string{"", "goroutine 0 waits"}, []string{all[0].Cause, all[1].Cause}, name)
	}
	// The failure has been minimised to other steps: what comes of it is not said.
	all = findings()
	all[0].Interleaving = steps[1:]
	together(all)
	require.Empty(t, all[0].Cause)
	require.Contains(t, all[1].Cause, "in the same run")
}
