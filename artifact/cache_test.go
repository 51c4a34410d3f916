package artifact

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
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

	for name, edit := range map[string]func(*Manifest){
		"pass":    func(m *Manifest) { m.Pass = PassDeep },
		"tool":    func(m *Manifest) { m.Tool = "v2" },
		"go":      func(m *Manifest) { m.Go = "go2" },
		"entry":   func(m *Manifest) { m.Entry.Func = "TestX" },
		"options": func(m *Manifest) { m.Options = json.RawMessage(`{}`) },
		"source":  func(m *Manifest) { m.Source = "x" },
		"parent":  func(m *Manifest) { m.Parent = "x" },
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
	require.NoError(t, os.WriteFile(filepath.Join(c.Dir, ".vtrace-"+key+Ext+"-1"), data[:4], 0o644))
	require.NoError(t, c.Remove(m))
	files, err := os.ReadDir(c.Dir)
	require.NoError(t, err)
	require.Empty(t, files)
	require.NoError(t, c.Put(b))

	// Someone else's bundle under this name.
	other, err := Extend(b, Manifest{Pass: PassSecond}).Bundle()
	require.NoError(t, err)
	require.NoError(t, Save(other, c.path(key)))
	_, what, err = c.Get(m)
	require.ErrorContains(t, err, "something else")
	require.Equal(t, Stale, what)

	m.Options = json.RawMessage("{")
	_, _, err = c.Get(m)
	require.Error(t, err)
}
