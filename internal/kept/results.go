package kept

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/storage"
)

// Results keeps finished bundles in a directory, by whatever decides of them, which the
// caller says. Unlike a [Cache] it has results whose program need not be the same in all of
// its files. It is safe for concurrent use, by several processes too.
//
// What it gives is proved first: a record names the inputs in full and the digest of the
// bundle. A record of other inputs, a bundle of another digest, and what is broken, are as
// good as none.
type Results struct {
	Dir string
	// MaxBytes bounds the size of the bundles; 0 means DefaultKeptSize. Those that have
	// not been used for longest go first.
	MaxBytes int64
}

// The directories in that of the results.
const (
	recordsDir = "records" // of Result records, by the digest of their inputs
	bundlesDir = "bundles" // by their digest
)

// resultRecord says which bundle was made from some inputs.
type resultRecord struct {
	Inputs json.RawMessage `json:"inputs"`
	Bundle string          `json:"bundle"` // its digest
}

// maxRecord bounds the bytes of a record that is read.
const maxRecord = 4 << 20

func (r Results) recordPath(inputs []byte) string {
	return filepath.Join(r.Dir, recordsDir, storage.Digest(inputs)+".json")
}

func (r Results) bundlePath(digest string) string {
	return filepath.Join(r.Dir, bundlesDir, digest+artifact.Ext)
}

// inputsOf is the canonical form of what decides of a result.
func (r Results) inputsOf(inputs any) ([]byte, error) {
	if r.Dir == "" {
		return nil, fmt.Errorf("results: %w", &artifact.ArgumentError{Name: "directory", Reason: "empty"})
	}
	if r.MaxBytes < 0 {
		return nil, fmt.Errorf("results: %w", &artifact.ArgumentError{Name: "size", Reason: "negative"})
	}
	data, err := storage.EncodeJSON(inputs)
	if err != nil {
		return nil, fmt.Errorf("results: inputs: %w", err)
	}
	return storage.SortKeys(data)
}

// Get returns the bundle that was made from these inputs, which are compared by their JSON.
// The error says why a Stale or Corrupt one is of no use, or that the directory cannot be
// read; the bundle is nil then.
func (r Results) Get(inputs any) (*artifact.Bundle, Lookup, error) {
	want, err := r.inputsOf(inputs)
	if err != nil {
		return nil, Miss, err
	}
	record, what, err := r.record(want)
	if record == nil {
		return nil, what, err
	}
	path := r.bundlePath(record.Bundle)
	b, what, err := loadKept(path)
	switch {
	case b == nil: // there was no room for it, say
		return nil, what, err
	case b.Digest() != record.Bundle:
		return nil, Stale, fmt.Errorf("results: %s is another bundle", path)
	}
	used(path)
	return b, Hit, nil
}

// record reads that of some inputs; nil if there is none that is of use.
func (r Results) record(inputs []byte) (*resultRecord, Lookup, error) {
	path := r.recordPath(inputs)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, Miss, nil
	case err != nil:
		return nil, Miss, fmt.Errorf("results: %w", err)
	case info.Size() > maxRecord:
		return nil, Corrupt, fmt.Errorf("results: %s: %w: more than %d bytes", path, artifact.ErrLimit, maxRecord)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, Miss, fmt.Errorf("results: %w", err)
	}
	var record resultRecord
	if err := storage.DecodeJSON(data, &record); err != nil {
		return nil, Corrupt, fmt.Errorf("results: %s: %w", path, err)
	}
	if got, err := storage.SortKeys(record.Inputs); err != nil || !bytes.Equal(got, inputs) || !storage.HexDigest.MatchString(record.Bundle) {
		return nil, Stale, fmt.Errorf("results: %s is of something else", path)
	}
	return &record, Hit, nil
}

// KeptResult is a result that [Results] have, as its record says.
type KeptResult struct {
	Inputs json.RawMessage // what it was made from, as given to Put
	Digest string          // of its bundle
	Path   string          // of its bundle, for artifact.Load and Open; it may be gone, or broken
	Made   time.Time
}

// All lists the results that are kept, the newest first. Records that are broken are left out;
// a directory that is not there has none.
func (r Results) All() ([]KeptResult, error) {
	if r.Dir == "" {
		return nil, fmt.Errorf("results: %w", &artifact.ArgumentError{Name: "directory", Reason: "empty"})
	}
	entries, err := os.ReadDir(filepath.Join(r.Dir, recordsDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	var out []KeptResult
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || info.Size() > maxRecord {
			continue // another process has removed it, say
		}
		data, err := os.ReadFile(filepath.Join(r.Dir, recordsDir, e.Name()))
		var record resultRecord
		if err != nil || storage.DecodeJSON(data, &record) != nil || !storage.HexDigest.MatchString(record.Bundle) {
			continue
		}
		out = append(out, KeptResult{record.Inputs, record.Bundle, r.bundlePath(record.Bundle), info.ModTime()})
	}
	slices.SortFunc(out, func(a, b KeptResult) int {
		return cmp.Or(b.Made.Compare(a.Made), cmp.Compare(a.Digest, b.Digest))
	})
	return out, nil
}

// Put keeps a bundle that was made from these inputs, and removes others if there are too
// many.
func (r Results) Put(inputs any, b *artifact.Bundle) error {
	if b == nil {
		return fmt.Errorf("results: %w", &artifact.ArgumentError{Name: "bundle", Reason: "nil"})
	}
	key, err := r.inputsOf(inputs)
	if err != nil {
		return err
	}
	data, err := storage.EncodeJSON(resultRecord{key, b.Digest()})
	if err != nil {
		return fmt.Errorf("results: %w", err)
	}
	for _, dir := range []string{recordsDir, bundlesDir} {
		if err := os.MkdirAll(filepath.Join(r.Dir, dir), 0o755); err != nil {
			return fmt.Errorf("results: %w", err)
		}
	}
	// The record comes last: it never names a bundle that is not whole.
	if err := artifact.Save(b, r.bundlePath(b.Digest())); err != nil {
		return err
	}
	record := func(f *os.File) error {
		_, err := f.Write(data)
		return err
	}
	if err := storage.Replace(r.recordPath(key), record); err != nil {
		return fmt.Errorf("results: %w", err)
	}
	return r.prune(r.bundlePath(b.Digest()))
}

// prune removes what has not been used for longest until the rest is small enough, and records
// without a bundle. The bundle at keep stays.
func (r Results) prune(keep string) error {
	records, err := finished(filepath.Join(r.Dir, recordsDir))
	if err != nil {
		return fmt.Errorf("results: %w", err)
	}
	removed, err := pruneBundles(filepath.Join(r.Dir, bundlesDir), cmp.Or(r.MaxBytes, DefaultKeptSize), keep)
	if err != nil {
		return fmt.Errorf("results: %w", err)
	}
	if !removed {
		return nil
	}
	return r.pruneRecords(records)
}

// pruneRecords removes the records of bundles that are gone.
func (r Results) pruneRecords(records []fs.FileInfo) error {
	for _, f := range records {
		path := filepath.Join(r.Dir, recordsDir, f.Name())
		data, err := os.ReadFile(path)
		if err != nil {
			continue // another process has removed it
		}
		var record resultRecord
		if storage.DecodeJSON(data, &record) == nil && storage.HexDigest.MatchString(record.Bundle) {
			if _, err := os.Stat(r.bundlePath(record.Bundle)); err == nil {
				continue
			}
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("results: %w", err)
		}
	}
	return nil
}
