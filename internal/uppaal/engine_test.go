package uppaal_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// TestEngine: what the table of the language accepts the engine searches, with its
// reductions and without them.
func TestEngine(t *testing.T) {
	for _, c := range uppaal.AcceptedConstructs(t) {
		t.Run(c.Name, func(t *testing.T) {
			for _, r := range []check.Reductions{{}, {NoStubborn: true, NoInvisible: true, NoFusing: true, NoSymmetry: true}} {
				rep, err := check.Verify(t.Context(), c.Network, []*uppaal.Query{c.Query}, check.Options{MaxStates: 100_000, Reductions: r})
				require.NoError(t, err, c.Text)
				require.NotEqual(t, check.Error, rep.Results[0].Verdict, "%s: %s", c.Text, rep.Results[0].Reason)
			}
		})
	}
}
