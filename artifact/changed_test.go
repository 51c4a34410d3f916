package artifact_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
)

// The list of files that were changed by hand is one of paths of a bundle, in order.
func TestChanged(t *testing.T) {
	make := func(changed ...string) (*artifact.Bundle, error) {
		return artifact.New(artifact.Manifest{Pass: artifact.PassFirst, Changed: changed}).Bundle()
	}
	b, err := make("overlay/program/a.go", "source/gone.go")
	require.NoError(t, err)
	b.Manifest().Changed[0] = "other"
	require.Equal(t, []string{"overlay/program/a.go", "source/gone.go"}, b.Manifest().Changed, "a copy")
	for _, changed := range [][]string{{"source/b", "source/a"}, {"source/a", "source/a"}, {"../a"}, {"elsewhere/a"}, {""}} {
		_, err := make(changed...)
		var corrupt *artifact.CorruptError
		require.ErrorAs(t, err, &corrupt, changed)
	}
}
