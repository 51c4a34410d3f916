package pass

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
)

// TestDoubt: that the program leaves a trace without a reason is one to report only if the model
// leaves nothing out.
func TestDoubt(t *testing.T) {
	d := &deep{side: &artifact.Sidecar{}}
	s := &suspect{}
	require.Empty(t, d.doubt(s))
	s.took(artifact.Refutation{Reason: "expected this, observed that", Unexplained: true})
	require.Contains(t, d.doubt(s), "please report it): expected this, observed that")
	d.side.Approximations = []artifact.Approximation{{File: "a.go", Line: 3, Kind: "unknown-call", Direction: artifact.DirectionUnder, Reason: "f may use g"}}
	require.Equal(t, "the model leaves out what a.go:3 does (f may use g)", d.doubt(s))
}
