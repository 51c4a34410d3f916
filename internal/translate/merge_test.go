package translate_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/translate"
)

// TestMerge checks that paths that fork and merge are one edge: there are a
// thousand paths through ten branches, but not behind them.
func TestMerge(t *testing.T) {
	for dir, most := range map[string]int{"testdata/verdicts/merging": 40, "testdata/verdicts/mergingpools": 110} {
		prog, idx := load(t, dir, "main")
		m, err := translate.Translate(context.Background(), prog, idx, translate.Options{})
		require.NoError(t, err)
		edges := 0
		for _, tmpl := range m.Network.Templates {
			edges += len(tmpl.Edges)
		}
		t.Log(dir, edges)
		require.LessOrEqual(t, edges, most, dir)
	}
}
