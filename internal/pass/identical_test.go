package pass

import (
	"context"
	"errors"
	"flag"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/programs"
	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/translate"
)

var identicalRuns = flag.Int("identical", 0, "runs of each program for TestIdentical, 0 for a few runs of a few programs")

// TestIdentical takes the examples and the translator's programs through the first
// and the second pass several times, in turn on one and on two processors: the
// bundles have the same bytes, and what is refused is refused in the same words.
func TestIdentical(t *testing.T) {
	programs.InLong(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	n, each := 0, 192
	tablePrograms(t, func(name string, spec source.Spec) {
		runs := *identicalRuns
		if n++; runs == 0 && n%each == 2 {
			runs = 3
		}
		if runs == 0 {
			return
		}
		t.Run(name, func(t *testing.T) {
			want := digests(t, spec)
			for i := 1; i < runs; i++ {
				runtime.GOMAXPROCS(1 + i%2)
				require.Equal(t, want, digests(t, spec), "run %d", i+1)
			}
		})
	})
}

// digests are those of the bundles of the first and the second pass of a program,
// or the reason why it is refused.
func digests(t *testing.T, spec source.Spec) []string {
	t.Helper()
	first, err := First(context.Background(), spec, Options{})
	var refused *translate.UnsupportedError
	if errors.As(err, &refused) {
		return []string{err.Error()}
	}
	require.NoError(t, err)
	second, err := Second(context.Background(), first, Options{})
	require.NoError(t, err)
	return []string{first.Digest(), second.Digest()}
}
