package pass

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/translate"
)

// A check that fails is an error, and ends no other.
func TestCheckFails(t *testing.T) {
	broken := func(context.Context, source.Spec) (*program, error) { panic("broken") }
	_, err := checkWith(context.Background(), broken, source.Spec{}, Options{})
	var internal *InternalError
	require.ErrorAs(t, err, &internal)
	require.ErrorContains(t, err, "the check failed, please report it: broken")
	require.Contains(t, string(internal.Stack), "checkWith")
}

// A translator that fails leaves a program that can be run.
func TestTranslatorFails(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module p\n\ngo 1.26\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n\nfunc main() {\n\tc := make(chan int)\n\tgo func() {}()\n\tc <- 1\n}\n"), 0o600))
	ctx := context.Background()
	broken := func(ctx context.Context, spec source.Spec) (*program, error) {
		p, err := load(ctx, spec)
		if err == nil {
			// Without the index of sites it fails.
			p.prepared, err = translate.Prepare(t.Context(), p.source, nil)
		}
		var internal *translate.InternalError
		if errors.As(err, &internal) {
			t.Skip("it fails before there is a program")
		}
		return p, err
	}
	b, err := checkWith(ctx, broken, source.Spec{Dir: dir}, Options{})
	require.NoError(t, err)
	require.Contains(t, b.Sidecar().Outside().Reason, "the translator failed, please report it")
	require.Len(t, b.Findings(), 1)
	require.Equal(t, artifact.Real, b.Findings()[0].Verdict)
	require.Equal(t, 6, b.Findings()[0].Line)
}

// Runs that look for data races are not among those that Runs counts: that all of
// these were cut off would go unsaid.
func TestTakeCountsNothing(t *testing.T) {
	d := &deep{}
	d.take(&orchestrate.Exploration{Runs: 3, Ends: []orchestrate.End{{Status: orchestrate.Limit, Count: 3}, {Status: orchestrate.Unsupported, Count: 2}}}, orchestrate.ExploreOptions{}, 0)
	require.Equal(t, artifact.Runs{}, d.runs)
}
