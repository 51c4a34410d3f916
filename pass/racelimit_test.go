package pass

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
)

// TestRaceLimits: a check that does not look for data races claims nothing of a program
// that has one, whatever its model says, and goes on claiming of the corrected one.
func TestRaceLimits(t *testing.T) {
	for _, name := range []string{"n12_append_alias", "n12_expr_plain", "n12_gob_stream", "n12_histogram", "n12_json_map"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := Conclude(checked(t, name))
			require.True(t, c.Inconclusive())
			require.True(t, slices.ContainsFunc(c.Limits, func(l string) bool { return strings.HasPrefix(l, "a data race, ") }), c.Limits)
			c = Conclude(checked(t, name+"_ok"))
			require.False(t, c.Inconclusive(), c.Limits)
		})
	}
}

// TestFailureLimit: a failure of the test that the model does not ask for is a limit, until
// all schedules have been run.
func TestFailureLimit(t *testing.T) {
	b := checked(t, "n12_etag_page")
	said := limits(b.Queries(), b.Verdicts(), b.Sidecar(), false)
	require.True(t, slices.ContainsFunc(said, func(l string) bool { return strings.HasSuffix(l, "it is not asked for") }), said)
	require.Equal(t, outcomeReal, outcomeOf(b))

	c := Conclude(checked(t, "n12_etag_page_ok"))
	require.True(t, c.Proved)
	require.Empty(t, c.Limits)
}

// checked is the result of a check of a program of TestVerdicts.
func checked(t *testing.T, name string) *artifact.Bundle {
	t.Helper()
	spec, _ := unpack(t, filepath.Join("testdata/verdicts", name+".txtar"))
	b, err := Check(context.Background(), spec, Options{})
	require.NoError(t, err)
	return b
}
