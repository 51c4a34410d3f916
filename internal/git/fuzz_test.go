package git

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vtrace/vtrace/internal/repository"
)

// Whatever names and sizes a tree has, what is written of it lies in the directory, outside of
// those of version control systems, with links behind files, and is no more than the bound.
func FuzzTree(f *testing.F) {
	id := strings.Repeat("0", 40)
	for _, s := range []string{
		"100644 blob " + id + "       7\ta.go\x00100755 blob " + id + " 0\td/run.sh\x00120000 blob " + id + " 4\tlink\x00",
		"120000 blob " + id + " 4\tlink\x00100644 blob " + id + " 7\tlink/a\x00",
		"160000 commit " + id + " -\tsubmodule\x00100644 blob " + id + " 1\twith\nline\tand tab\x00",
		"100644 blob " + id + " 1\t../a\x00100644 blob " + id + " 1\t.GIT/config\x00100644 blob " + id + " 1\t/a\x00100644 blob " + id + " 1\t\x00",
		"100644 blob " + id + " -\tmissing\x00", "100644 blob " + id + " 4294967297\ta\x00",
		"100644 blob " + id + " -9223372036854775808\ta\x00100644 blob " + id + " 9223372036854775807\tb\x00", "", "\x00\x00", "100644 blob",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, tree string) {
		entries, err := entriesOf(tree, "c")
		if err != nil {
			require.Nil(t, entries)
			return
		}
		links := false
		var again strings.Builder
		for _, e := range entries {
			require.True(t, filepath.IsLocal(filepath.FromSlash(e.name)), e.name)
			require.False(t, slices.ContainsFunc(strings.Split(e.name, "/"), repository.Named), e.name)
			require.NotContains(t, e.id, "\n") // a line of what cat-file is asked
			require.True(t, e.link || !links, "a file behind a link")
			require.True(t, 0 <= e.size && e.size <= maxBytes, e.size)
			links = e.link
			mode := map[bool]string{true: "100755", false: "100644"}[e.executable]
			if e.link {
				mode = "120000"
			}
			fmt.Fprintf(&again, "%s blob %s %d\t%s\x00", mode, e.id, e.size, e.name)
		}
		same, err := entriesOf(again.String(), "c")
		require.NoError(t, err)
		require.Equal(t, entries, same)
	})
}

// The contents that git prints are those of the entries, each of the size that the tree has for
// it, or an error: nothing of one file comes into another.
func FuzzBlobs(f *testing.F) {
	id := strings.Repeat("0", 40)
	for _, s := range []string{
		id + " blob 3\nabc\n" + id + " blob 0\n\n", id + " blob 3\nabc\n", id + " blob 4\nabc\n\n" + id + " blob 0\n\n", id + " missing\n", id + " tree 3\nabc\n" + id + " blob 0\n\n",
		id + " blob 4294967296\nabc", id + " blob 99999999999999999999\n", id + " blob -3\n", id + " blob 3\nab", "", id, "\n\n",
	} {
		f.Add([]byte(s))
	}
	entries := []entry{{name: "a", id: id, size: 3}, {name: "b", id: id}}
	f.Fuzz(func(t *testing.T, out []byte) {
		var got []string
		err := readBlobs(bufio.NewReader(bytes.NewReader(out)), entries, func(e entry, data io.Reader) error {
			require.Equal(t, entries[len(got)], e)
			text, err := io.ReadAll(data)
			require.NoError(t, err)
			got = append(got, string(text))
			return nil
		})
		if err != nil {
			return
		}
		require.Len(t, got, 2)
		require.Len(t, got[0], 3)
		require.Empty(t, got[1])
		require.Contains(t, string(out), "\n"+got[0]+"\n")
	})
}
