package blackbox_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/pass"
	"github.com/vtrace/vtrace/internal/programs"
)

// The first runs, no two of which are equivalent, show an error that no trace of the model
// leads to: a library calls the program, which takes locks. The finding says after how many.
func TestSystematicRuns(t *testing.T) {
	programs.InLong(t)
	b, err := pass.Check(context.Background(), programs.Main(t, `package main

import (
	"cmp"
	"slices"
	"sync"
)

type item struct {
	sync.Mutex
	w int
}

func order(a, b *item) int {
	a.Lock()
	defer a.Unlock()
	b.Lock()
	defer b.Unlock()
	return cmp.Compare(a.w, b.w)
}

func main() {
	x, y := &item{w: 1}, &item{w: 2}
	var all sync.WaitGroup
	for _, l := range [][]*item{{x, y}, {y, x}} {
		all.Go(func() { slices.SortFunc(l, order) })
	}
	all.Wait()
}
`), pass.Options{})
	require.NoError(t, err)
	require.NotEmpty(t, b.Findings())
	f := b.Findings()[0]
	require.Equal(t, artifact.Real, f.Verdict, f.Reason)
	require.Contains(t, f.Reason, "under a systematic schedule")
	require.Greater(t, f.Runs, 1)
	require.LessOrEqual(t, f.Runs, 16)
	require.LessOrEqual(t, b.Runs().Systematic, 16)
	require.Positive(t, b.Runs().Systematic)
}
