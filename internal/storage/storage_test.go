package storage

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A file is written as a whole or not at all, and removed with what killed processes have left of it.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.json")
	write := func(text string, err error) error {
		return Replace(path, func(f *os.File) error {
			_, err2 := f.WriteString(text)
			return errors.Join(err, err2)
		})
	}
	require.NoError(t, write("one", nil))
	broken := errors.New("broken")
	require.ErrorIs(t, write("two", broken), broken)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "one", string(text))
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1)

	require.NoError(t, os.WriteFile(filepath.Join(dir, ".vtrace-a.json-1"), nil, 0o600))
	other := filepath.Join(dir, "b.json")
	require.NoError(t, os.WriteFile(other, nil, 0o600))
	require.NoError(t, Remove(path))
	left, err = os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1)
	require.Equal(t, "b.json", left[0].Name())
	require.NoError(t, Remove(path), "it is gone")
}

// Of JSON there is one form for each content.
func TestJSON(t *testing.T) {
	one, err := SortKeys([]byte(`{"b": [1.50, "<&>"], "a": {}}`))
	require.NoError(t, err)
	require.Equal(t, "{\n  \"a\": {},\n  \"b\": [\n    1.50,\n    \"<&>\"\n  ]\n}\n", string(one))
	again, err := SortKeys(one)
	require.NoError(t, err)
	require.Equal(t, string(one), string(again))
	_, err = SortKeys([]byte("{} {}"))
	require.Error(t, err)
	var v struct{ A int }
	require.NoError(t, DecodeJSON([]byte(`{"A": 1}`), &v))
	require.Error(t, DecodeJSON([]byte(`{"A": 1, "B": 2}`), &v))
	require.Error(t, DecodeJSON([]byte(`{"A": 1} 2`), &v))
	require.Regexp(t, HexDigest, Digest(nil))
}
