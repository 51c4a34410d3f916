package kept

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/storage"
)

// Cache keeps bundles in a directory by what they were made from. It is safe
// for concurrent use, by several processes too.
type Cache struct {
	Dir string
	// MaxBytes bounds the size of the bundles; 0 means DefaultKeptSize. Those that have
	// not been used for longest go first.
	MaxBytes int64
}

// Lookup is what a cache had to say.
type Lookup string

// The outcomes of Cache.Get.
const (
	Hit     Lookup = "hit"
	Miss    Lookup = "miss"
	Stale   Lookup = "stale"   // made from something else, or by a newer vtrace
	Corrupt Lookup = "corrupt" // broken; it will be replaced by the next Put
)

// key is that of a manifest, for a cache that is somewhere.
func (c Cache) key(m artifact.Manifest) (string, error) {
	if c.Dir == "" {
		return "", fmt.Errorf("cache: %w", &artifact.ArgumentError{Name: "directory", Reason: "empty"})
	}
	if c.MaxBytes < 0 {
		return "", fmt.Errorf("cache: %w", &artifact.ArgumentError{Name: "size", Reason: "negative"})
	}
	return m.Key()
}

func (c Cache) path(key string) string { return filepath.Join(c.Dir, key+artifact.Ext) }

// Get returns the bundle that was made from what m says, if there is one. The
// error says why a Stale or Corrupt one is of no use, or that the cache cannot
// be read; the bundle is nil then.
func (c Cache) Get(m artifact.Manifest) (*artifact.Bundle, Lookup, error) {
	key, err := c.key(m)
	if err != nil {
		return nil, Miss, err
	}
	b, what, err := loadKept(c.path(key))
	if b == nil {
		return nil, what, err
	}
	got, err := b.Manifest().Key()
	if err != nil || got != key {
		return nil, Stale, fmt.Errorf("cache: %s was made from something else", c.path(key))
	}
	used(c.path(key))
	return b, Hit, nil
}

// loadKept loads a bundle that was kept. If it is of no use the bundle is nil, and the error
// says why, but where there is none.
func loadKept(path string) (*artifact.Bundle, Lookup, error) {
	b, err := artifact.Load(path)
	var newer *artifact.VersionError
	var broken *artifact.CorruptError
	switch {
	case err == nil:
		return b, Hit, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, Miss, nil
	case errors.As(err, &newer):
		return nil, Stale, err
	case errors.As(err, &broken):
		return nil, Corrupt, err
	}
	return nil, Miss, err
}

// Put stores a bundle, and removes others if there are too many.
func (c Cache) Put(b *artifact.Bundle) error {
	if b == nil {
		return fmt.Errorf("cache: %w", &artifact.ArgumentError{Name: "bundle", Reason: "nil"})
	}
	key, err := c.key(b.Manifest())
	if err != nil {
		return err
	}
	put := func() error {
		if err := os.MkdirAll(c.Dir, 0o755); err != nil {
			return fmt.Errorf("cache: %w", err)
		}
		if err := artifact.Save(b, c.path(key)); err != nil {
			return err
		}
		if _, err := pruneBundles(c.Dir, cmp.Or(c.MaxBytes, DefaultKeptSize), c.path(key)); err != nil {
			return fmt.Errorf("cache: %w", err)
		}
		return nil
	}
	if err := put(); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return put() // another process has removed it meanwhile
}

// Remove removes the bundle that was made from what m says, if there is one, and what
// processes that were killed have written of it.
func (c Cache) Remove(m artifact.Manifest) error {
	key, err := c.key(m)
	if err != nil {
		return err
	}
	if err := storage.Remove(c.path(key)); err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	return nil
}

// Manifests are those of the bundles that can be read, in order of their keys.
func (c Cache) Manifests() ([]artifact.Manifest, error) {
	if c.Dir == "" {
		return nil, fmt.Errorf("cache: %w", &artifact.ArgumentError{Name: "directory", Reason: "empty"})
	}
	files, err := filepath.Glob(filepath.Join(c.Dir, "*"+artifact.Ext))
	if err != nil {
		return nil, fmt.Errorf("cache: %w", err)
	}
	var out []artifact.Manifest
	for _, f := range files {
		if b, err := artifact.Load(f); err == nil {
			out = append(out, b.Manifest())
		}
	}
	return out, nil
}
