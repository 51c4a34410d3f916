package kept

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vtrace/vtrace/artifact"
)

// inputs stand for what decides of a result.
type inputs struct {
	Tool   string `json:"tool"`
	Source string `json:"source"`
}

func TestResults(t *testing.T) {
	r := Results{Dir: filepath.Join(t.TempDir(), "results")}
	b := sample(t)
	in := inputs{"v1", "abc"}
	get := func(in any) (Lookup, error) {
		got, what, err := r.Get(in)
		require.Equal(t, what == Hit, got != nil)
		if got != nil {
			require.Equal(t, b.Digest(), got.Digest())
		}
		return what, err
	}
	what, err := get(in)
	require.NoError(t, err)
	require.Equal(t, Miss, what)

	// Several at once, as from several processes.
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := r.Put(in, b); err != nil {
				t.Error(err)
			}
			if got, what, err := r.Get(in); err != nil || what != Hit || got.Digest() != b.Digest() {
				t.Error(what, err)
			}
		})
	}
	wg.Wait()
	for _, other := range []inputs{{"v2", "abc"}, {"v1", "abd"}, {}} {
		what, err := get(other)
		require.NoError(t, err)
		require.Equal(t, Miss, what, other)
	}
	what, err = get(map[string]string{"source": "abc", "tool": "v1"})
	require.NoError(t, err)
	require.Equal(t, Hit, what, "the order of fields is no matter")

	// A record, and a bundle, that are of something else, or broken, are as good as none,
	// and the next Put makes them whole.
	key, err := r.inputsOf(in)
	require.NoError(t, err)
	record, archive := r.recordPath(key), r.bundlePath(b.Digest())
	other := artifact.New(artifact.Manifest{Pass: artifact.PassFirst, Entry: artifact.Entry{Package: "p", Func: "main"}})
	another, err := other.Bundle()
	require.NoError(t, err)
	for name, c := range map[string]struct {
		want  Lookup
		spoil func() error
	}{
		"a record cut off":      {Corrupt, func() error { return os.Truncate(record, 20) }},
		"a record of no bundle": {Stale, func() error { return os.WriteFile(record, []byte(`{"inputs":`+string(key)+`,"bundle":"../x"}`), 0o644) }},
		"another's record": {Stale, func() error {
			other := inputs{"v3", "abc"}
			if err := r.Put(other, b); err != nil {
				return err
			}
			key, err := r.inputsOf(other)
			if err != nil {
				return err
			}
			return os.Rename(r.recordPath(key), record)
		}},
		"an archive cut off": {Corrupt, func() error { return os.Truncate(archive, 100) }},
		"another archive":    {Stale, func() error { return artifact.Save(another, archive) }},
		"no archive":         {Miss, func() error { return os.Remove(archive) }},
		"no record":          {Miss, func() error { return os.Remove(record) }},
		"a large record":     {Corrupt, func() error { return os.Truncate(record, maxRecord+1) }},
	} {
		require.NoError(t, c.spoil(), name)
		what, err := get(in)
		require.Equal(t, c.want, what, name)
		require.Equal(t, c.want != Miss, err != nil, name)
		require.NoError(t, r.Put(in, b), name)
		what, err = get(in)
		require.NoError(t, err, name)
		require.Equal(t, Hit, what, name)
	}

	var argument *artifact.ArgumentError
	_, _, err = Results{}.Get(in)
	require.ErrorAs(t, err, &argument)
	require.ErrorAs(t, Results{}.Put(in, b), &argument)
	require.ErrorAs(t, r.Put(in, nil), &argument)
	require.ErrorAs(t, Results{Dir: r.Dir, MaxBytes: -1}.Put(in, b), &argument)
}

// What has not been used for longest goes first, what was kept last stays, and records go
// with their bundles.
func TestResultsBound(t *testing.T) {
	bundle := func(n int) *artifact.Bundle {
		b := artifact.New(artifact.Manifest{Pass: artifact.PassFirst, Entry: artifact.Entry{Package: fmt.Sprintf("p%d", n), Func: "main"}})
		got, err := b.Bundle()
		require.NoError(t, err)
		return got
	}
	r := Results{Dir: t.TempDir()}
	old := time.Now().Add(-time.Hour * 24)
	var size int64
	for n := range 6 {
		b := bundle(n)
		require.NoError(t, r.Put(n, b))
		info, err := os.Stat(r.bundlePath(b.Digest()))
		require.NoError(t, err)
		size = max(size, info.Size())
		at := old.Add(time.Duration(n) * time.Minute)
		require.NoError(t, os.Chtimes(r.bundlePath(b.Digest()), at, at))
	}
	left := filepath.Join(r.Dir, bundlesDir, ".vtrace-x-1")
	require.NoError(t, os.WriteFile(left, nil, 0o644))
	require.NoError(t, os.Chtimes(left, old, old))
	_, what, err := r.Get(0) // used: now the youngest
	require.NoError(t, err)
	require.Equal(t, Hit, what)

	r.MaxBytes = 4 * size
	require.NoError(t, r.Put(6, bundle(6)))
	var have []int
	for n := range 7 {
		_, what, err := r.Get(n)
		require.NoError(t, err)
		if what == Hit {
			have = append(have, n)
		}
	}
	require.Equal(t, []int{0, 5, 6}, have)
	records, err := os.ReadDir(filepath.Join(r.Dir, recordsDir))
	require.NoError(t, err)
	require.Len(t, records, 3)
	require.NoFileExists(t, left)

	// One that is larger than all that there may be is kept nonetheless, alone.
	r.MaxBytes = 1
	require.NoError(t, r.Put(7, bundle(7)))
	_, what, err = r.Get(7)
	require.NoError(t, err)
	require.Equal(t, Hit, what)
	bundles, err := os.ReadDir(filepath.Join(r.Dir, bundlesDir))
	require.NoError(t, err)
	require.Len(t, bundles, 1)
}
