package artifact

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"reflect"
	"slices"

	"github.com/vtrace/vtrace/internal/storage"
)

const (
	// Format is the name of the bundle format.
	Format = "vtrace-bundle"
	// Version is the newest version of the format that this package knows, the one that it
	// writes. It grows with every change of what a bundle may hold, so that an older vtrace
	// says that a bundle is newer, and not that it is broken: see TestFormat.
	Version = 7
)

// maxManifest bounds the bytes of a manifest: those of as many files as there may be.
const maxManifest = 64 << 20

// The passes that a manifest can name.
const (
	PassTranslate = "translate" // a model without verdicts
	PassFirst     = "first"
	PassSecond    = "second"
	PassDeep      = "deep"
)

// Manifest describes a bundle. All of it is covered by the bundle's digest.
type Manifest struct {
	Format  string `json:"format" schema:"vtrace-bundle"`             // always "vtrace-bundle"
	Version int    `json:"version"`                                   // of the format
	Pass    string `json:"pass" schema:"translate|first|second|deep"` // the one that made the bundle
	// Tool is the version of vtrace, Go that of the Go toolchain.
	Tool  string `json:"tool"`
	Go    string `json:"go"`    // see Tool
	Entry Entry  `json:"entry"` // what runs
	// Options are those of the pass, as a value of type Options. [Bundle.Options] decodes
	// what older versions have.
	Options json.RawMessage `json:"options,omitempty"`
	// Source is the digest of the files below source/, as source.Digest
	// computes it.
	Source string `json:"source,omitempty" schema:"digest"`
	// Parent is the digest of the bundle that the pass started from.
	Parent string `json:"parent,omitempty" schema:"digest"`
	// SlimmedFrom is the digest of the bundle of which this one is a part: what verdicts and
	// replays do not need was left out.
	SlimmedFrom string `json:"slimmedFrom,omitempty" schema:"digest"`
	// Changed are the files that somebody has changed by hand since a pass made them, by their
	// paths in the bundle, in order; those of the bundles that this one comes from, too.
	Changed []string `json:"changed,omitempty"`
	// Files are all files but the manifest, sorted by path.
	Files []FileInfo `json:"files"`
}

// FileInfo is the manifest's record of one file.
type FileInfo struct {
	Path   string `json:"path"`                   // slash-separated, relative to the bundle
	Size   int64  `json:"size"`                   // in bytes
	SHA256 string `json:"sha256" schema:"digest"` // of the content, in hexadecimal
}

// decodeManifest checks format and version first, so that a newer manifest is
// told from a broken one.
func decodeManifest(data []byte, lim Limits) (Manifest, error) {
	if len(data) > maxManifest {
		return Manifest{}, corrupt(manifestPath, "%w: more than %d bytes", ErrLimit, maxManifest)
	}
	var head struct {
		Format  string          `json:"format"`
		Version json.RawMessage `json:"version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return Manifest{}, &CorruptError{manifestPath, err}
	}
	if head.Format != Format {
		return Manifest{}, corrupt(manifestPath, "format %q, want %q", head.Format[:min(len(head.Format), 64)], Format)
	}
	if err := versionOf(head.Version); err != nil {
		return Manifest{}, err
	}
	s, err := shapeOf(data)
	if err != nil {
		return Manifest{}, &CorruptError{manifestPath, err}
	}
	if s.indented > 2*int64(len(data))+64 {
		// It would be made large to be compared: what is nested deeply is indented much.
		return Manifest{}, corrupt(manifestPath, "not in canonical form")
	}
	if err := checkDecoded(data, reflect.TypeFor[Manifest](), lim.Decoded); err != nil {
		return Manifest{}, &CorruptError{manifestPath, err}
	}
	var m Manifest
	if err := storage.DecodeJSON(data, &m); err != nil {
		return Manifest{}, &CorruptError{manifestPath, err}
	}
	// One form only: the digest of the bundle is that of these bytes.
	if again, err := m.encode(); err != nil || !bytes.Equal(again, data) {
		return Manifest{}, corrupt(manifestPath, "not in canonical form")
	}
	if m.Parent != "" && !storage.HexDigest.MatchString(m.Parent) {
		return Manifest{}, corrupt(manifestPath, "the parent is no digest")
	}
	if m.SlimmedFrom != "" && !storage.HexDigest.MatchString(m.SlimmedFrom) {
		return Manifest{}, corrupt(manifestPath, "what it was slimmed from is no digest")
	}
	if _, err := m.options(); err != nil {
		return Manifest{}, err
	}
	for i, p := range m.Changed {
		if err := checkPath(p, lim); err != nil {
			return m, err
		}
		if i > 0 && m.Changed[i-1] >= p {
			return Manifest{}, corrupt(manifestPath, "changed files not sorted at %q", p)
		}
	}
	return m, m.checkFiles(lim)
}

// checkFiles checks what a manifest says of the files before any of them is read.
func (m *Manifest) checkFiles(lim Limits) error {
	if len(m.Files) > lim.Files {
		return corrupt("", "%w: more than %d files", ErrLimit, lim.Files)
	}
	var total int64
	for i, f := range m.Files {
		if err := checkPath(f.Path, lim); err != nil {
			return err
		}
		if i > 0 && m.Files[i-1].Path >= f.Path {
			return corrupt(manifestPath, "files not sorted at %q", f.Path)
		}
		if f.Size < 0 {
			return corrupt(f.Path, "%d bytes", f.Size)
		}
		if f.Size > lim.File || f.Size > lim.Total-total {
			return corrupt(f.Path, "%w: size", ErrLimit)
		}
		total += f.Size
	}
	listed := make(map[string]bool, len(m.Files))
	for _, f := range m.Files {
		listed[f.Path] = true
	}
	for _, f := range m.Files {
		for dir := path.Dir(f.Path); dir != "."; dir = path.Dir(dir) {
			if listed[dir] {
				return corrupt(dir, "both a file and a directory")
			}
		}
	}
	return nil
}

func (m Manifest) encode() ([]byte, error) {
	raw, err := storage.SortKeys(m.Options)
	if err != nil {
		return nil, fmt.Errorf("options: %w", err)
	}
	m.Options = raw
	return storage.EncodeJSON(m)
}

// clone returns a copy that shares nothing.
func (m Manifest) clone() Manifest {
	m.Options = bytes.Clone(m.Options)
	m.Changed = slices.Clone(m.Changed)
	m.Files = slices.Clone(m.Files)
	return m
}

// Key identifies what a pass makes a bundle from: the pass itself, the versions
// of vtrace and Go, the entry, the options, and the digests of the Source files
// and of the parent. Source must be set.
func (m Manifest) Key() (string, error) {
	m.Format, m.Version, m.Files = Format, Version, nil
	data, err := m.encode()
	if err != nil {
		return "", fmt.Errorf("cache key: %w", err)
	}
	return storage.Digest(data), nil
}
