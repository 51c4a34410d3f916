package artifact

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vtrace/vtrace/internal/repository"
	"github.com/vtrace/vtrace/internal/storage"
)

// The paths of the files of a bundle.
const (
	manifestPath    = "manifest.json"
	ModelPath       = "model.xml"
	QueriesPath     = "queries.json"
	SidecarPath     = "sidecar.json"
	VerdictsPath    = "verdicts.json"
	RefutationsPath = "refutations.json"
	FactsPath       = "facts.json"
	FindingsPath    = "findings.json"
	RacesPath       = "races.json"
	RunsPath        = "runs.json"
	SourceDir       = "source"
	OverlayDir      = "overlay"
	LogsDir         = "logs"
	ModulesDir      = "modules"
)

// oldSweepPath is in bundles from before there was RunsPath. Nothing reads it.
const oldSweepPath = "sweep.json"

var numbered = regexp.MustCompile(`^(traces/q[1-9][0-9]*-[1-9][0-9]*\.json|tests/q[1-9][0-9]*-[1-9][0-9]*_test\.go)$`)

// TracePath is where the k-th trace (from 1) of a query is.
func TracePath(query, k int) string { return fmt.Sprintf("traces/q%d-%d.json", query, k) }

// TestPath is where the Orchestration test of the k-th trace of a query is.
func TestPath(query, k int) string { return fmt.Sprintf("tests/q%d-%d_test.go", query, k) }

// ErrLimit is wrapped by the error for a bundle that exceeds a limit.
var ErrLimit = errors.New("limit exceeded")

// Limits bound what a bundle may hold. Those that are 0 are as in DefaultLimits.
type Limits struct {
	Files   int   // number of files
	File    int64 // bytes of one file
	Total   int64 // bytes of all files
	Path    int   // bytes of a path
	Decoded int64 // bytes that one JSON file may take in memory
}

// DefaultLimits are those of Load and Builder.
var DefaultLimits = Limits{Files: 50_000, File: 256 << 20, Total: 1 << 30, Path: 1024, Decoded: 1 << 30}

// withDefaults fills in what is zero, and says what is wrong.
func (l Limits) withDefaults() (Limits, error) {
	d := DefaultLimits
	if min(l.Files, l.Path) < 0 || min(l.File, l.Total, l.Decoded) < 0 {
		return l, &ArgumentError{"limits", "a limit is negative"}
	}
	l.Files, l.Path = cmp.Or(l.Files, d.Files), cmp.Or(l.Path, d.Path)
	l.File, l.Total, l.Decoded = cmp.Or(l.File, d.File), cmp.Or(l.Total, d.Total), cmp.Or(l.Decoded, d.Decoded)
	return l, nil
}

// Bundle is a set of files with a manifest. It is immutable and safe for
// concurrent use. A nil bundle has no files and the zero Manifest.
type Bundle struct {
	manifest Manifest
	encoded  []byte // the manifest as it is saved
	files    map[string][]byte
	sidecar  *Sidecar // decoded, nil if there is none
	decoded  int64    // the limit of what a file is in memory
	findings func() []Finding
}

// Manifest returns a copy of the manifest.
func (b *Bundle) Manifest() Manifest {
	if b == nil {
		return Manifest{}
	}
	return b.manifest.clone()
}

// Digest identifies the content of the bundle: the sha256 of its manifest, in
// hexadecimal.
func (b *Bundle) Digest() string {
	if b == nil {
		return ""
	}
	return storage.Digest(b.encoded)
}

// Paths are the paths of all files but the manifest, sorted.
func (b *Bundle) Paths() []string {
	if b == nil {
		return nil
	}
	out := make([]string, len(b.manifest.Files))
	for i, f := range b.manifest.Files {
		out[i] = f.Path
	}
	return out
}

// Read returns a copy of a file, and whether there is one.
func (b *Bundle) Read(path string) ([]byte, bool) {
	if b == nil {
		return nil, false
	}
	data, ok := b.files[path]
	return bytes.Clone(data), ok
}

// Below yields the files of a directory of the bundle in order, by their paths
// relative to it. The bytes must not be changed.
func (b *Bundle) Below(dir string) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		if b == nil {
			return
		}
		for _, f := range b.manifest.Files {
			rel, ok := strings.CutPrefix(f.Path, dir+"/")
			if ok && !yield(rel, b.files[f.Path]) {
				return
			}
		}
	}
}

// Builder collects the files of a new bundle. The first error is kept and
// returned by Bundle. The zero value is one of the zero Manifest.
type Builder struct {
	manifest Manifest
	limits   Limits
	files    map[string][]byte
	known    map[string]bool // files of the parent that are still as there, and so can be decoded within its limit
	decoded  int64           // of what such a file is in memory
	err      error
}

// New starts a bundle. Of the manifest it takes Pass, Tool, Go, Entry, Options,
// Parent, SlimmedFrom and Changed; the rest is computed.
func New(m Manifest) *Builder {
	return &Builder{manifest: m, limits: DefaultLimits, files: map[string][]byte{}, known: map[string]bool{}}
}

// Extend starts a bundle that holds all files of parent and names it as its
// parent. Later files replace those of the parent.
func Extend(parent *Bundle, m Manifest) *Builder {
	b := with(parent, m)
	b.manifest.Parent = parent.Digest()
	return b
}

// Amend starts a bundle with the manifest of another one, that holds all its files. Later files replace those.
func Amend(b *Bundle) *Builder { return with(b, b.Manifest()) }

// with starts a bundle that holds all files of another one.
func with(of *Bundle, m Manifest) *Builder {
	b := New(m)
	if of == nil {
		b.err = &ArgumentError{"parent", "nil bundle"}
		return b
	}
	for path, data := range of.files {
		b.files[path] = data
		b.known[path] = path != SidecarPath // a bundle has that decoded
	}
	b.decoded = of.decoded
	return b
}

// Put adds or replaces a file. The bytes are copied.
func (b *Builder) Put(path string, data []byte) {
	if b == nil || b.err != nil {
		return
	}
	if b.files == nil {
		b.files, b.limits = map[string][]byte{}, DefaultLimits
	}
	if err := checkPath(path, b.limits); err != nil {
		b.err = err
		return
	}
	b.files[path] = append([]byte{}, data...)
	delete(b.known, path)
}

// Remove removes a file, or all files below a directory.
func (b *Builder) Remove(path string) {
	if b == nil {
		return
	}
	for p := range b.files {
		if p == path || strings.HasPrefix(p, path+"/") {
			delete(b.files, p)
			delete(b.known, p)
		}
	}
}

func (b *Builder) putJSON(path string, v any) {
	if b == nil {
		return
	}
	data, err := storage.EncodeJSON(v)
	if err != nil && b.err == nil {
		b.err = fmt.Errorf("bundle: %q: %w", path, err)
	}
	b.Put(path, data)
}

// SetModel sets the model in UPPAAL's XML.
func (b *Builder) SetModel(xml []byte) { b.Put(ModelPath, xml) }

// SetQueries sets the queries.
func (b *Builder) SetQueries(q []Query) { b.putJSON(QueriesPath, emptyNotNil(q)) }

// SetSidecar sets the sidecar.
func (b *Builder) SetSidecar(s *Sidecar) { b.putJSON(SidecarPath, s) }

// SetVerdicts sets the checker's verdicts.
func (b *Builder) SetVerdicts(v []Verdict) { b.putJSON(VerdictsPath, emptyNotNil(v)) }

// SetRefutations sets what replays have refuted.
func (b *Builder) SetRefutations(r []Refutation) { b.putJSON(RefutationsPath, emptyNotNil(r)) }

// SetFacts sets what runs have done where the model leaves something open.
func (b *Builder) SetFacts(f []Fact) { b.putJSON(FactsPath, emptyNotNil(f)) }

// SetFindings sets the findings.
func (b *Builder) SetFindings(f []Finding) { b.putJSON(FindingsPath, storeFindings(f)) }

// SetRuns sets how the program was run beside its model.
func (b *Builder) SetRuns(r *Runs) { b.putJSON(RunsPath, r) }

// SetRaces sets how data races were looked for.
func (b *Builder) SetRaces(r *RaceSearch) { b.putJSON(RacesPath, r) }

// AddTrace adds the k-th trace (from 1) of a query and returns its path.
func (b *Builder) AddTrace(query, k int, tr *Trace) string {
	path := TracePath(query, k)
	b.putJSON(path, storeTrace(tr))
	return path
}

// AddTest adds the Orchestration test of the k-th trace of a query and returns
// its path.
func (b *Builder) AddTest(query, k int, src []byte) string {
	path := TestPath(query, k)
	b.Put(path, src)
	return path
}

// AddSource adds a file of the program under its path relative to the root.
func (b *Builder) AddSource(path string, data []byte) { b.Put(SourceDir+"/"+path, data) }

// AddOverlay adds a file of the instrumented program.
func (b *Builder) AddOverlay(path string, data []byte) { b.Put(OverlayDir+"/"+path, data) }

// AddModule adds a file of a module that the program depends on, under its path in the file
// system form of the module proxy protocol: "example.com/m/@v/v1.0.0.zip".
func (b *Builder) AddModule(path string, data []byte) { b.Put(ModulesDir+"/"+path, data) }

// AddLog adds a log.
func (b *Builder) AddLog(path string, data []byte) { b.Put(LogsDir+"/"+path, data) }

// emptyNotNil makes an empty list "[]" in JSON, not "null".
func emptyNotNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// Bundle returns the bundle, or the first error met while building it.
func (b *Builder) Bundle() (*Bundle, error) {
	if b == nil {
		return nil, &ArgumentError{"builder", "nil"}
	}
	if b.err != nil {
		return nil, b.err
	}
	limits, err := b.limits.withDefaults()
	if err != nil {
		return nil, err
	}
	m := b.manifest
	m.Format, m.Version = Format, Version
	m.Files = []FileInfo{}
	for p, data := range b.files {
		m.Files = append(m.Files, FileInfo{Path: p, Size: int64(len(data)), SHA256: storage.Digest(data)})
	}
	slices.SortFunc(m.Files, func(x, y FileInfo) int { return strings.Compare(x.Path, y.Path) })
	var program sourceSum
	for _, f := range m.Files {
		program.with(f, io.Discard).Write(b.files[f.Path])
	}
	m.Source = program.String()
	encoded, err := m.encode()
	if err != nil {
		return nil, fmt.Errorf("bundle: %w", err)
	}
	known := b.known
	if b.decoded > limits.Decoded {
		known = nil
	}
	return newBundle(encoded, b.files, known, limits)
}

// newBundle checks a manifest against the files, of which those that are known can be decoded, and makes them a bundle.
func newBundle(encoded []byte, files map[string][]byte, known map[string]bool, lim Limits) (*Bundle, error) {
	r, err := newReader(encoded, func(m Manifest) entries { return &memoryEntries{files, m.Files} }, lim)
	if err != nil {
		return nil, err
	}
	r.known = known
	return r.bundle()
}

// checkPath accepts a clean relative path of a file that bundles can hold.
func checkPath(p string, lim Limits) error {
	switch {
	case len(p) > lim.Path:
		return corrupt(p[:min(len(p), 64)]+"...", "%w: path longer than %d bytes", ErrLimit, lim.Path)
	case !utf8.ValidString(p) || !fs.ValidPath(p) || p == ".":
		return corrupt(p, "not a clean relative path")
	case strings.ContainsFunc(p, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\\' }):
		return corrupt(p, "path with a control character or backslash")
	case slices.ContainsFunc(strings.Split(p, "/"), repository.Named):
		return corrupt(p, "of a repository: the go command would have its commands run by what stands there")
	}
	switch p {
	case ModelPath, QueriesPath, SidecarPath, VerdictsPath, RefutationsPath, FactsPath, FindingsPath, RacesPath, RunsPath, oldSweepPath:
		return nil
	}
	for _, dir := range []string{SourceDir, OverlayDir, LogsDir} {
		if strings.HasPrefix(p, dir+"/") {
			return nil
		}
	}
	if numbered.MatchString(p) || moduleFile(p) {
		return nil
	}
	return corrupt(p, "not a file of a bundle")
}
