package bundle

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/vtrace/vtrace/artifact"
)

// Entry is what an index says of one bundle.
type Entry struct {
	// Path is where it is, relative to the folder, with slashes.
	Path   string `json:"path"`
	Digest string `json:"digest,omitempty"`
	// Program is the package of the entry point, and Entry its name.
	Program string `json:"program,omitempty"`
	Entry   string `json:"entry,omitempty"`
	Stage   string `json:"stage,omitempty"` // the pass
	// Version is that of the format; Tool and Go are those of vtrace and Go.
	Version int    `json:"version,omitempty"`
	Tool    string `json:"tool,omitempty"`
	Go      string `json:"go,omitempty"`
	// Source is the digest of the program, Parent that of the bundle it was made from.
	Source      string `json:"source,omitempty"`
	Parent      string `json:"parent,omitempty"`
	SlimmedFrom string `json:"slimmedFrom,omitempty"`
	// Verdicts counts the answers of the queries by result (T, F, M, E), Findings the
	// findings by verdict.
	Verdicts map[string]int `json:"verdicts,omitempty"`
	Findings map[string]int `json:"findings,omitempty"`
	// Found are the findings that are not false.
	Found []Found `json:"found,omitempty"`
	// Error says why it cannot be read; it has nothing else then.
	Error string `json:"error,omitempty"`
}

// Found is a finding in an index.
type Found struct {
	Number  int    `json:"number"`
	Verdict string `json:"verdict"`
	Kind    string `json:"kind"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Message string `json:"message"`
	Test    string `json:"test,omitempty"` // path in the bundle
}

// newEntry is the entry of a bundle of which the manifest was read.
func newEntry(path string, r *artifact.Reader) Entry {
	m := r.Manifest()
	return Entry{
		Path: path, Digest: r.Digest(), Program: m.Entry.Package, Entry: m.Entry.Func, Stage: m.Pass,
		Version: m.Version, Tool: m.Tool, Go: m.Go, Source: m.Source, Parent: m.Parent, SlimmedFrom: m.SlimmedFrom,
		Verdicts: map[string]int{}, Findings: map[string]int{},
	}
}

// take takes what a file of the bundle holds, if it belongs into the entry.
func (e *Entry) take(value any) {
	switch v := value.(type) {
	case *[]artifact.Verdict:
		for _, a := range *v {
			e.Verdicts[a.Result]++
		}
	case *[]artifact.Finding:
		for _, f := range *v {
			e.Findings[f.Verdict]++
			if f.Verdict != artifact.False {
				e.Found = append(e.Found, Found{f.Number, f.Verdict, f.Kind, f.File, f.Line, f.Message, f.Test})
			}
		}
	}
}

// readEntry reads a bundle for its entry.
func readEntry(path string, r *artifact.Reader) (Entry, error) {
	e := newEntry(path, r)
	err := each(r, func(artifact.FileInfo) error {
		e.take(r.Value())
		return nil
	})
	return e, err
}

// IndexLimits are good for an index: larger bundles are listed as such.
var IndexLimits = artifact.Limits{Total: 256 << 20, Decoded: 256 << 20}

// Index calls a function with an entry for each bundle below a folder, in order of their paths:
// files whose name ends in ".vtz", and directories with a manifest. One that cannot be read,
// or has not the signature that is asked for, has an entry that says why. Links are not
// followed. Of one bundle at a time the manifest is in memory and a JSON file, and the names of
// the files of the folders on the way to it; nothing is kept. The first error of the function
// ends the walk.
func Index(ctx context.Context, dir string, o artifact.OpenOptions, entry func(Entry) error) error {
	switch {
	case ctx == nil:
		return &artifact.ArgumentError{Name: "context", Reason: "nil"}
	case entry == nil:
		return &artifact.ArgumentError{Name: "function", Reason: "nil"}
	}
	root, err := os.Stat(dir)
	if err == nil && !root.IsDir() {
		err = errors.New("not a directory")
	}
	if err != nil {
		return fmt.Errorf("index %s: %w", dir, err)
	}
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		rel, relErr := filepath.Rel(dir, path)
		if relErr != nil {
			return relErr
		}
		rel = filepath.ToSlash(rel)
		if err != nil {
			if path == dir {
				return err
			}
			return entry(Entry{Path: rel, Error: err.Error()})
		}
		switch {
		case d.IsDir():
			if !hasManifest(path) {
				return nil
			}
		case !d.Type().IsRegular() || !strings.HasSuffix(d.Name(), artifact.Ext):
			return nil
		}
		e := Entry{}
		r, err := artifact.Open(path, o)
		if err == nil {
			e, err = readEntry(rel, r)
		}
		if err != nil {
			e = Entry{Path: rel, Error: cause(err, path)}
		}
		if err := entry(e); err != nil {
			return err
		}
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
}

// cause is an error of loading without the path, which the entry has.
func cause(err error, path string) string {
	var sig *artifact.SignatureError
	if errors.As(err, &sig) {
		return (&artifact.SignatureError{Err: sig.Err}).Error()
	}
	return strings.TrimPrefix(strings.TrimPrefix(err.Error(), "load "+path+": "), "bundle: ")
}

// hasManifest reports whether a directory has a manifest of a bundle, broken or not: other
// programs have files of that name, too.
func hasManifest(dir string) bool {
	path := filepath.Join(dir, manifestFile)
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, 4096))
	return err == nil && bytes.Contains(head, []byte(`"`+artifact.Format+`"`))
}

// WriteLine writes the entry as a line of JSON.
func (e Entry) WriteLine(w io.Writer) error {
	if w == nil {
		return &artifact.ArgumentError{Name: "writer", Reason: "nil"}
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(e)
}

var (
	results  = []string{"T", "F", "M", "E"}
	verdicts = []string{artifact.Real, artifact.TimingDependent, artifact.Unconfirmed, artifact.Possible, artifact.Note, artifact.False}
)

// Columns are the names of the columns of Row.
func Columns() []string {
	out := []string{"path", "digest", "program", "entry", "stage", "version", "tool", "go", "source", "parent", "slimmedFrom"}
	out = append(out, results...)
	return append(append(out, verdicts...), "found", "error")
}

// Row is an entry as a row of a table. What a spreadsheet would take for a formula has a quote
// in front: names come from bundles, which may come from anybody.
func (e Entry) Row() []string {
	out := []string{e.Path, e.Digest, e.Program, e.Entry, e.Stage, "", e.Tool, e.Go, e.Source, e.Parent, e.SlimmedFrom}
	if e.Version > 0 {
		out[5] = strconv.Itoa(e.Version)
	}
	count := func(names []string, counts map[string]int) {
		for _, n := range names {
			if e.Error != "" {
				out = append(out, "")
			} else {
				out = append(out, strconv.Itoa(counts[n]))
			}
		}
	}
	count(results, e.Verdicts)
	count(verdicts, e.Findings)
	var found []string
	for _, f := range e.Found {
		found = append(found, fmt.Sprintf("%s %s %s:%d", f.Verdict, f.Kind, f.File, f.Line))
	}
	out = append(out, strings.Join(found, "; "), e.Error)
	for i, cell := range out {
		if strings.ContainsAny(cell[:min(1, len(cell))], "=+-@\t\r") {
			out[i] = "'" + cell
		}
	}
	return out
}
