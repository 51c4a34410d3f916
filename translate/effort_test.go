package translate_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/translate"
)

// TestLowerBounds checks that a program that is too large for the default bounds
// is translated with smaller ones, and that its model says so.
func TestLowerBounds(t *testing.T) {
	prog, idx := load(t, "testdata/large", "main")
	m, err := translate.Translate(context.Background(), prog, idx, translate.Options{})
	require.NoError(t, err)
	verify(t, m)
	lowered := func(m *translate.Model) (reasons []string) {
		for _, a := range m.Sidecar.Approximations {
			if a.Kind == "bounds" {
				require.Equal(t, artifact.DirectionBound, a.Direction)
				require.Equal(t, "translate/testdata/large/main.go", a.File)
				reasons = append(reasons, a.Reason)
			}
		}
		return reasons
	}
	require.Equal(t, []string{"with larger bounds the model would be too large: at most " +
		"1 objects of an allocation, 2 elements of slices that grow, 1 entries of maps, 2 activations of a function"}, lowered(m))

	// Bounds that are asked for stay.
	m, err = translate.Translate(context.Background(), prog, idx, translate.Options{Bounds: translate.Bounds{Objects: 2, Slice: 3, Recursion: 3}})
	require.NoError(t, err)
	require.Equal(t, []string{"with larger bounds the model would be too large: at most 1 entries of maps"}, lowered(m))

	prog, idx = load(t, "testdata/verdicts/workers", "main")
	m, err = translate.Translate(context.Background(), prog, idx, translate.Options{})
	require.NoError(t, err)
	require.Empty(t, lowered(m))
}
