//go:build go1.25

package orcruntime

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMappedLog: a log has what was written to it, up to its bound, whether files can be mapped or not, and zeros behind
// that until it is closed.
func TestMappedLog(t *testing.T) {
	for name, regions := range map[string]int{"mapped": firstRegion, "not mapped": 0} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "log")
			const most = 300_000
			w, err := newMappedLog(path, most)
			require.NoError(t, err)
			w.next = regions
			var want []byte
			for i := 0; len(want) < 2*most; i++ {
				line := fmt.Sprintf("%d %s\n", i, strings.Repeat("x", i%1000))
				n, err := w.Write([]byte(line))
				require.NoError(t, err)
				require.Len(t, line, n)
				want = append(want, line...)
			}
			beyond := []byte(strings.Repeat("y", firstRegion))
			_, err = w.Write(beyond)
			require.NoError(t, err)
			before, err := os.ReadFile(path)
			require.NoError(t, err)
			w.close()
			after, err := os.ReadFile(path)
			require.NoError(t, err)
			require.True(t, bytes.HasPrefix(want, after))
			require.LessOrEqual(t, len(after), most)
			require.Greater(t, len(after), most-1010)
			require.Equal(t, after, bytes.TrimRight(before, "\x00"))
			require.Equal(t, regions > 0, len(before) > len(after))
		})
	}
}

// TestMappedLogLines: lines longer than a region are whole.
func TestMappedLogLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	w, err := newMappedLog(path, MaxLog)
	require.NoError(t, err)
	line := []byte(strings.Repeat("0123456789", firstRegion/2))
	_, err = w.Write(line)
	require.NoError(t, err)
	w.close()
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.True(t, bytes.Equal(line, got))
}

// TestMappedJournal: a journal has the last two lines, each at the beginning of its half.
func TestMappedJournal(t *testing.T) {
	for _, name := range []string{"mapped", "not mapped"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "journal")
			w, err := newMappedJournal(path)
			require.NoError(t, err)
			defer w.file.Close()
			if name == "not mapped" {
				w.slots = nil
			}
			var lines []string
			for i := range 40 {
				line := fmt.Sprintf("%d 0 %s 1\n", i, strings.Repeat("s", (40-i)%7))
				lines = append(lines, line)
				_, err := w.Write([]byte(line))
				require.NoError(t, err)
				data, err := os.ReadFile(path)
				require.NoError(t, err)
				require.True(t, strings.HasPrefix(string(data[i%2*JournalSlot:]), line))
				if i > 0 {
					require.True(t, strings.HasPrefix(string(data[(i-1)%2*JournalSlot:]), lines[i-1]))
				}
			}
			_, err = w.Write([]byte(strings.Repeat("z", JournalSlot+1)))
			require.NoError(t, err)
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			require.LessOrEqual(t, len(data), 2*JournalSlot)
			require.NotContains(t, string(data), "z")
		})
	}
}
