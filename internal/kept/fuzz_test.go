package kept

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vtrace/vtrace/artifact"
)

// spoilt is a text in which n bytes from at on are others.
func spoilt(whole []byte, at, n uint32, with []byte) []byte {
	from := int(at) % (len(whole) + 1)
	to := from + int(n)%(len(whole)-from+1)
	return slices.Concat(whole[:from], with, whole[to:])
}

// requireKept checks that what was found where something may be damaged is what was kept, or
// nothing, with a reason.
func requireKept(t *testing.T, want, got *artifact.Bundle, what Lookup, err error) {
	t.Helper()
	require.Equal(t, what == Hit, got != nil)
	require.Contains(t, []Lookup{Hit, Miss, Stale, Corrupt}, what)
	if got != nil {
		require.NoError(t, err)
		same(t, want, got)
	} else if what != Miss { // as of a record that names another bundle, which is not there
		require.Error(t, err)
	}
}

// A record or a bundle that is damaged is as good as none, whatever it says, is replaced by
// what is whole, and goes when there is no more room.
func FuzzResults(f *testing.F) {
	b := sample(f)
	in := inputs{"v1", "abc"}
	r := Results{Dir: f.TempDir()}
	require.NoError(f, r.Put(in, b))
	key, err := r.inputsOf(in)
	require.NoError(f, err)
	files := []string{r.recordPath(key), r.bundlePath(b.Digest())}
	whole := map[string][]byte{}
	for i, file := range files {
		whole[file], err = os.ReadFile(file)
		require.NoError(f, err)
		n := uint32(len(whole[file]))
		f.Add(uint8(i), uint32(0), n, []byte("{}"))
		f.Add(uint8(i), n/2, uint32(1), []byte("x"))
		f.Add(uint8(i), n/2, n, []byte(nil))
		f.Add(uint8(i), uint32(0), uint32(0), []byte(nil))
	}
	f.Add(uint8(0), uint32(0), uint32(len(whole[files[0]])), []byte(`{"inputs":null,"bundle":"`+strings.Repeat("0", 64)+`"}`))
	f.Fuzz(func(t *testing.T, which uint8, at, n uint32, with []byte) {
		file := files[int(which)%len(files)]
		for name, data := range whole {
			if name == file {
				data = spoilt(data, at, n, with)
			}
			require.NoError(t, os.WriteFile(name, data, 0o644))
		}
		got, what, err := r.Get(in)
		requireKept(t, b, got, what, err)
		list, err := r.All()
		require.NoError(t, err)
		require.LessOrEqual(t, len(list), 2) // with that of the time before
		for _, k := range list {
			require.True(t, json.Valid(k.Inputs))
			require.Equal(t, r.bundlePath(k.Digest), k.Path)
			require.Equal(t, filepath.Join(r.Dir, bundlesDir), filepath.Dir(k.Path))
		}
		require.True(t, what != Hit || slices.ContainsFunc(list, func(k KeptResult) bool { return k.Digest == b.Digest() }))
		got, what, err = r.Get(inputs{"v2", "abc"})
		require.NoError(t, err)
		require.Nil(t, got)
		require.Equal(t, Miss, what)

		// What was damaged does not stay when something else needs its place.
		small := artifact.New(artifact.Manifest{Pass: artifact.PassFirst, Entry: artifact.Entry{Package: "p", Func: "main"}})
		other, err := small.Bundle()
		require.NoError(t, err)
		require.NoError(t, Results{Dir: r.Dir, MaxBytes: 1}.Put(1, other))
		records, err := os.ReadDir(filepath.Join(r.Dir, recordsDir))
		require.NoError(t, err)
		require.Len(t, records, 1)
		got, what, err = r.Get(in)
		require.NoError(t, err)
		require.Nil(t, got)
		require.Equal(t, Miss, what)
	})
}

// A bundle that a cache has kept is the one that it was given, or as good as none, and the
// next Put makes it whole.
func FuzzCache(f *testing.F) {
	b := sample(f)
	c := Cache{Dir: f.TempDir()}
	require.NoError(f, c.Put(b))
	key, err := b.Manifest().Key()
	require.NoError(f, err)
	file := c.path(key)
	whole, err := os.ReadFile(file)
	require.NoError(f, err)
	n := uint32(len(whole))
	f.Add(uint32(0), n, []byte(nil))
	f.Add(n/2, n, []byte(nil))
	f.Add(n/2, uint32(1), []byte("x"))
	f.Add(n, uint32(0), []byte("x"))
	f.Add(uint32(0), uint32(0), []byte(nil))
	f.Fuzz(func(t *testing.T, at, n uint32, with []byte) {
		require.NoError(t, os.WriteFile(file, spoilt(whole, at, n, with), 0o644))
		got, what, err := c.Get(b.Manifest())
		requireKept(t, b, got, what, err)
		list, err := c.Manifests()
		require.NoError(t, err)
		require.Equal(t, what == Hit, len(list) == 1)
		require.NoError(t, c.Put(b))
		got, what, err = c.Get(b.Manifest())
		require.NoError(t, err)
		require.Equal(t, Hit, what)
		same(t, b, got)
	})
}
