package kept

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vtrace/vtrace/artifact"
)

func TestCache(t *testing.T) {
	c := Cache{Dir: filepath.Join(t.TempDir(), "cache")}
	b := sample(t)
	m := b.Manifest()
	m.Files = nil // not known before
	_, what, err := c.Get(m)
	require.NoError(t, err)
	require.Equal(t, Miss, what)

	// Several at once, as from several processes.
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := c.Put(b); err != nil {
				t.Error(err)
			}
			if got, what, err := c.Get(m); err != nil || what != Hit || got.Digest() != b.Digest() {
				t.Error(what, err)
			}
		})
	}
	wg.Wait()

	for name, edit := range map[string]func(*artifact.Manifest){
		"pass":    func(m *artifact.Manifest) { m.Pass = artifact.PassDeep },
		"tool":    func(m *artifact.Manifest) { m.Tool = "v2" },
		"go":      func(m *artifact.Manifest) { m.Go = "go2" },
		"entry":   func(m *artifact.Manifest) { m.Entry.Func = "TestX" },
		"options": func(m *artifact.Manifest) { m.Options = json.RawMessage(`{}`) },
		"source":  func(m *artifact.Manifest) { m.Source = "x" },
		"parent":  func(m *artifact.Manifest) { m.Parent = "x" },
	} {
		other := b.Manifest()
		edit(&other)
		_, what, err := c.Get(other)
		require.NoError(t, err, name)
		require.Equal(t, Miss, what, name)
	}

	key, err := m.Key()
	require.NoError(t, err)
	data, err := os.ReadFile(c.path(key))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(c.path(key), data[:len(data)-4], 0o644))
	got, what, err := c.Get(m)
	require.Error(t, err)
	require.Nil(t, got)
	require.Equal(t, Corrupt, what)
	require.NoError(t, c.Put(b))
	_, what, err = c.Get(m)
	require.NoError(t, err)
	require.Equal(t, Hit, what)

	// A process was killed while it wrote the archive.
	require.NoError(t, os.WriteFile(filepath.Join(c.Dir, ".vtrace-"+key+artifact.Ext+"-1"), data[:4], 0o644))
	require.NoError(t, c.Remove(m))
	files, err := os.ReadDir(c.Dir)
	require.NoError(t, err)
	require.Empty(t, files)
	require.NoError(t, c.Put(b))

	// Someone else's bundle under this name.
	other, err := artifact.Extend(b, artifact.Manifest{Pass: artifact.PassSecond}).Bundle()
	require.NoError(t, err)
	require.NoError(t, artifact.Save(other, c.path(key)))
	_, what, err = c.Get(m)
	require.ErrorContains(t, err, "something else")
	require.Equal(t, Stale, what)

	m.Options = json.RawMessage("{")
	_, _, err = c.Get(m)
	require.Error(t, err)
}

// What has not been used for longest goes first; what is no bundle of the cache stays.
func TestCacheBound(t *testing.T) {
	c := Cache{Dir: t.TempDir()}
	old := time.Now().Add(-time.Hour * 24)
	made := make([]*artifact.Bundle, 5)
	paths := make([]string, len(made))
	var size int64
	put := func(n int) {
		var err error
		made[n], err = artifact.New(artifact.Manifest{Pass: artifact.PassFirst, Source: "x", Entry: artifact.Entry{Package: fmt.Sprintf("p%d", n), Func: "main"}}).Bundle()
		require.NoError(t, err)
		require.NoError(t, c.Put(made[n]))
		key, err := c.key(made[n].Manifest())
		require.NoError(t, err)
		paths[n] = c.path(key)
	}
	for n := range len(made) - 1 {
		put(n)
		info, err := os.Stat(paths[n])
		require.NoError(t, err)
		size = max(size, info.Size())
		at := old.Add(time.Duration(n) * time.Minute)
		require.NoError(t, os.Chtimes(paths[n], at, at))
	}
	other := filepath.Join(c.Dir, "notes.txt")
	require.NoError(t, os.WriteFile(other, make([]byte, 10*size), 0o644))
	_, what, err := c.Get(made[0].Manifest()) // used: now the youngest
	require.NoError(t, err)
	require.Equal(t, Hit, what)

	c.MaxBytes = 3 * size
	put(4)
	var have []int
	for n, b := range made {
		_, what, err := c.Get(b.Manifest())
		require.NoError(t, err)
		if what == Hit {
			have = append(have, n)
		}
	}
	require.Equal(t, []int{0, 4}, have)
	require.FileExists(t, other)

	c.MaxBytes = -1
	var refused *artifact.ArgumentError
	require.ErrorAs(t, c.Put(made[0]), &refused)
}

// sample is a bundle with files of several kinds.
func sample(t testing.TB) *artifact.Bundle {
	b := artifact.New(artifact.Manifest{
		Pass: artifact.PassFirst, Tool: "v1.0.0", Go: "go1.26.8",
		Entry:   artifact.Entry{Package: "example.com/m", Func: "main"},
		Options: json.RawMessage(`{"search":{"maxMemory":1234567890123456789},"model":{"flags":["<>&"],"bounds":{}}}`),
	})
	b.SetModel([]byte("<nta/>"))
	b.SetFindings([]artifact.Finding{{Number: 1, Verdict: artifact.Possible, Kind: artifact.KindPanic, Query: 1}})
	b.AddSource("main.go", []byte("package main\n"))
	b.AddSource("a/b/Ω.go", []byte("package b\n"))
	b.AddLog("q1-1.log", bytes.Repeat([]byte("0.000s 0  :  main.go:1: x\n"), 200))
	out, err := b.Bundle()
	require.NoError(t, err)
	return out
}

func same(t *testing.T, want, got *artifact.Bundle) {
	t.Helper()
	require.Equal(t, want.Manifest(), got.Manifest())
	for _, path := range want.Paths() {
		one, _ := want.Read(path)
		two, ok := got.Read(path)
		require.True(t, ok, path)
		require.Equal(t, one, two, path)
	}
}
