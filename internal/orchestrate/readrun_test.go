package orchestrate

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/orcruntime"
)

// TestReadRun: what a run has written is whole, also if its steps are packed; nothing is taken for a result that is
// damaged.
func TestReadRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "result")
	long := sampleResult()
	for len(long.Trace) < orcruntime.PackedFrom {
		long.Trace = append(long.Trace, orcruntime.Step{G: "0", Site: "spawn", Occ: len(long.Trace)})
	}
	packed := orcruntime.PackedResult{Result: long, Packed: orcruntime.Pack(long.Trace, long.Effects)}
	packed.Trace, packed.Effects = nil, nil
	for _, r := range []orcruntime.PackedResult{packed, {Result: long}} {
		require.NoError(t, os.WriteFile(path, asJSON(t, r), 0o600))
		got, err := readRun(path)
		require.NoError(t, err)
		require.Equal(t, long.Trace, got.Trace)
		require.Equal(t, long.Effects, got.Effects)
		require.Equal(t, long.Verdict, got.Verdict)
	}
	packed.Packed.Names = packed.Packed.Names[1:]
	require.NoError(t, os.WriteFile(path, asJSON(t, packed), 0o600))
	got, err := readRun(path)
	require.Error(t, err)
	require.Zero(t, got)
	_, err = readRun(path + ".none")
	require.ErrorIs(t, err, os.ErrNotExist)
}
