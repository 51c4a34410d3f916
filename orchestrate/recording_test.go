package orchestrate

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The process that has started the others has the least number, and not the first name.
func TestFirstProcess(t *testing.T) {
	dir := t.TempDir()
	entries := func() []os.DirEntry {
		list, err := os.ReadDir(dir)
		require.NoError(t, err)
		return list
	}
	require.Empty(t, firstProcess(entries()))
	for _, name := range []string{"10", "9", "113", "a"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	require.Equal(t, "9", firstProcess(entries()))
}
