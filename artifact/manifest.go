package artifact

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

const (
	// Format is the name of the bundle format.
	Format = "vtrace-bundle"
	// Version is the newest version of the format that this package knows.
	Version = 1
)

// The passes that a manifest can name.
const (
	PassTranslate = "translate" // a model without verdicts
	PassFirst     = "first"
	PassSecond    = "second"
	PassDeep      = "deep"
)

// Manifest describes a bundle. All of it is covered by the bundle's digest.
type Manifest struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	Pass    string `json:"pass"`
	// Tool is the version of vtrace, Go that of the Go toolchain.
	Tool  string `json:"tool"`
	Go    string `json:"go"`
	Entry Entry  `json:"entry"`
	// Options are those of the pass, in its own form.
	Options json.RawMessage `json:"options,omitempty"`
	// Source is the digest of the files below source/, as source.Digest
	// computes it.
	Source string `json:"source,omitempty"`
	// Parent is the digest of the bundle that the pass started from.
	Parent string `json:"parent,omitempty"`
	// Files are all files but the manifest, sorted by path.
	Files []FileInfo `json:"files"`
}

// FileInfo is the manifest's record of one file.
type FileInfo struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// VersionError says that a bundle has a newer format than this package knows.
type VersionError struct {
	Found, Known int
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("bundle: format version %d is newer than %d, the newest this vtrace reads", e.Found, e.Known)
}

// CorruptError says which file of a bundle is broken, and how.
type CorruptError struct {
	File string // path in the bundle, "" for the bundle as a whole
	Err  error
}

func (e *CorruptError) Error() string {
	if e.File == "" {
		return "bundle: " + e.Err.Error()
	}
	return fmt.Sprintf("bundle: %q: %v", e.File, e.Err)
}

func (e *CorruptError) Unwrap() error { return e.Err }

func corrupt(file, format string, args ...any) error {
	return &CorruptError{File: file, Err: fmt.Errorf(format, args...)}
}

// EncodeJSON returns v in the canonical form of bundles: indented by two
// spaces, maps sorted, no escaping of <, > and &, a newline at the end.
func EncodeJSON(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// canonicalRaw sorts the keys of a JSON text.
func canonicalRaw(raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("more than one value")
	}
	return EncodeJSON(v)
}

// decodeJSON decodes one JSON value with nothing after it and no unknown
// fields: a file of a known version has only known ones.
func decodeJSON(data []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("data after the value")
	}
	return nil
}

// decodeManifest checks format and version first, so that a newer manifest is
// told from a broken one.
func decodeManifest(data []byte) (Manifest, error) {
	var head struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return Manifest{}, &CorruptError{manifestPath, err}
	}
	if head.Format != Format {
		return Manifest{}, corrupt(manifestPath, "format %q, want %q", head.Format, Format)
	}
	if head.Version > Version {
		return Manifest{}, &VersionError{Found: head.Version, Known: Version}
	}
	if head.Version < 1 {
		return Manifest{}, corrupt(manifestPath, "no format version %d", head.Version)
	}
	var m Manifest
	if err := decodeJSON(data, &m); err != nil {
		return Manifest{}, &CorruptError{manifestPath, err}
	}
	// One form only: the digest of the bundle is that of these bytes.
	if again, err := m.encode(); err != nil || !bytes.Equal(again, data) {
		return Manifest{}, corrupt(manifestPath, "not in canonical form")
	}
	return m, nil
}

func (m Manifest) encode() ([]byte, error) {
	raw, err := canonicalRaw(m.Options)
	if err != nil {
		return nil, fmt.Errorf("options: %w", err)
	}
	m.Options = raw
	return EncodeJSON(m)
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
