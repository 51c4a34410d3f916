package orchestrate

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/orcruntime"
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

// FuzzLeft: the program may have written anything as the goroutines that are leaked.
func FuzzLeft(f *testing.F) {
	f.Add([]byte("7\n3\n7\n"))
	f.Add([]byte("7\n+8\n+2"))
	f.Add([]byte("-1\n"))
	f.Add([]byte("4294967296\n"))
	f.Add([]byte("\n"))
	file := filepath.Join(f.TempDir(), "left")
	leaked, reachable, judged, err := readLeft(file)
	require.NoError(f, err)
	require.False(f, judged, "the program has not said so")
	require.Empty(f, leaked)
	require.Empty(f, reachable)
	f.Fuzz(func(t *testing.T, data []byte) {
		require.NoError(t, os.WriteFile(file, data, 0o600))
		leaked, reachable, judged, err := readLeft(file)
		if err != nil {
			require.False(t, judged)
			return
		}
		require.True(t, judged)
		text := ""
		for prefix, numbers := range map[string][]uint64{"": leaked, orcruntime.LeftReachable: reachable} {
			require.True(t, slices.IsSorted(numbers))
			for _, n := range numbers {
				text += prefix + fmt.Sprintln(n)
			}
		}
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		again, others, _, err := readLeft(file)
		require.NoError(t, err)
		require.Equal(t, leaked, again)
		require.Equal(t, reachable, others)
	})
}
