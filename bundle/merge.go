package bundle

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/storage"
)

// A bundle has one entry point, one program and one model, and its digest is what later bundles
// name as their parent. So several bundles are no bundle: they are collected, each as it is,
// under a report of all that was found.

// collectionFormat is the name of the format of a collection, collectionVersion its version.
const (
	collectionFormat  = "vtrace-collection"
	collectionVersion = 1
)

// CollectionFile is the file of a collection that has the [Collection]; the bundles are in a directory beside it,
// bundles, named by their digests.
const CollectionFile = "collection.json"

const collectionDir = "bundles"

// Collection is what several bundles say together.
type Collection struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	// Bundles are its bundles, in the order of program, entry, stage and digest.
	Bundles []Collected `json:"bundles"`
	// Findings are those of the bundles that nothing supersedes, each place once.
	Findings []Merged `json:"findings"`
}

// Collected is a bundle of a collection.
type Collected struct {
	Entry
	// SupersededBy is the digest of a bundle of the collection that was made from this one, by
	// a later pass or by Slim. What that one has found is what counts.
	SupersededBy string `json:"supersededBy,omitempty"`
}

// Merged is an error that one or several bundles have found: of one kind at one place.
type Merged struct {
	// Verdict is the one of Seen that says most: an error that is real with one entry point
	// is real, though another one has not shown it.
	Verdict  string `json:"verdict"`
	Kind     string `json:"kind"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Col      int    `json:"col,omitempty"`
	Function string `json:"function,omitempty"`
	Message  string `json:"message"`
	// Seen is what each bundle says, what says most first.
	Seen []Seen `json:"seen"`
}

// Seen is the finding of one bundle.
type Seen struct {
	Bundle  string `json:"bundle"` // path in the collection
	Program string `json:"program"`
	Entry   string `json:"entry"`
	Number  int    `json:"number"` // of the finding
	Verdict string `json:"verdict"`
	Test    string `json:"test,omitempty"` // path in the bundle
}

// Merge collects bundles in a directory, which must be empty or not exist. They are copied
// while they are read; of each what the collection says of it stays in memory. A bundle that
// is there twice is taken once; one that cannot be read, or has not the signature that is asked
// for, is an error, and the directory is then as it was. Before anything is written, all
// manifests are read, and the signatures checked.
func Merge(ctx context.Context, dir string, o artifact.OpenOptions, paths ...string) (_ *Collection, err error) {
	switch {
	case ctx == nil:
		return nil, &artifact.ArgumentError{Name: "context", Reason: "nil"}
	case dir == "":
		return nil, &artifact.ArgumentError{Name: "directory", Reason: "empty"}
	case len(paths) == 0:
		return nil, &artifact.ArgumentError{Name: "bundles", Reason: "none"}
	}
	for _, p := range paths {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		r, err := artifact.Open(p, o)
		if err == nil {
			err = r.Close()
		}
		if err != nil {
			return nil, fmt.Errorf("merge: %w", err)
		}
	}
	made, err := emptyDir(dir)
	if err != nil {
		return nil, fmt.Errorf("merge: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, collectionDir)), os.RemoveAll(filepath.Join(dir, CollectionFile)))
			if made {
				err = errors.Join(err, os.Remove(dir))
			}
		}
	}()
	if err := os.Mkdir(filepath.Join(dir, collectionDir), 0o755); err != nil {
		return nil, fmt.Errorf("merge: %w", err)
	}
	c := &Collection{Format: collectionFormat, Version: collectionVersion, Bundles: []Collected{}, Findings: []Merged{}}
	found := map[string][]artifact.Finding{} // by digest
	later := map[string]string{}             // what was made from a digest
	for _, p := range paths {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		r, err := artifact.Open(p, o)
		if err != nil {
			return nil, fmt.Errorf("merge: %w", err)
		}
		digest, m := r.Digest(), r.Manifest()
		if _, twice := found[digest]; twice {
			if err := each(r, func(artifact.FileInfo) error { return nil }); err != nil {
				return nil, fmt.Errorf("merge: %w", err)
			}
			continue
		}
		e, findings, err := collect(r, dir)
		if err != nil {
			return nil, fmt.Errorf("merge: %w", err)
		}
		c.Bundles = append(c.Bundles, Collected{Entry: e})
		found[digest] = findings
		for _, from := range []string{m.Parent, m.SlimmedFrom} {
			if from != "" && (later[from] == "" || digest < later[from]) {
				later[from] = digest
			}
		}
	}
	slices.SortFunc(c.Bundles, func(x, y Collected) int {
		return slices.Compare([]string{x.Program, x.Entry.Entry, x.Stage, x.Digest}, []string{y.Program, y.Entry.Entry, y.Stage, y.Digest})
	})
	places := map[place]*Merged{}
	for i := range c.Bundles {
		e := &c.Bundles[i]
		if e.SupersededBy = later[e.Digest]; e.SupersededBy != "" {
			continue
		}
		for _, f := range found[e.Digest] {
			at := place{f.Kind, f.File, f.Line, f.Col, f.Function, f.Message}
			m := places[at]
			if m == nil {
				m = &Merged{Kind: f.Kind, File: f.File, Line: f.Line, Col: f.Col, Function: f.Function, Message: f.Message}
				places[at] = m
			}
			m.Seen = append(m.Seen, Seen{Bundle: e.Path, Program: e.Program, Entry: e.Entry.Entry, Number: f.Number, Verdict: f.Verdict, Test: f.Test})
		}
	}
	for _, m := range places {
		slices.SortFunc(m.Seen, func(x, y Seen) int {
			if d := rank(x.Verdict) - rank(y.Verdict); d != 0 {
				return d
			}
			return slices.Compare([]string{x.Program, x.Entry, x.Bundle}, []string{y.Program, y.Entry, y.Bundle})
		})
		m.Verdict = m.Seen[0].Verdict
		c.Findings = append(c.Findings, *m)
	}
	slices.SortFunc(c.Findings, func(x, y Merged) int {
		if d := rank(x.Verdict) - rank(y.Verdict); d != 0 {
			return d
		}
		if d := strings.Compare(x.File, y.File); d != 0 {
			return d
		}
		if d := slices.Compare([]int{x.Line, x.Col}, []int{y.Line, y.Col}); d != 0 {
			return d
		}
		return slices.Compare([]string{x.Kind, x.Function, x.Message}, []string{y.Kind, y.Function, y.Message})
	})
	data, err := storage.EncodeJSON(c)
	if err != nil {
		return nil, fmt.Errorf("merge: %w", err)
	}
	return c, os.WriteFile(filepath.Join(dir, CollectionFile), data, 0o644)
}

// collect copies a bundle into a collection while it is read.
func collect(r *artifact.Reader, dir string) (Entry, []artifact.Finding, error) {
	defer r.Close()
	e := newEntry(collectionDir+"/"+r.Digest()+artifact.Ext, r)
	findings := []artifact.Finding{}
	_, err := artifact.SaveFiles(filepath.Join(dir, filepath.FromSlash(e.Path)), r.Manifest(), nil, func(put func(string, io.Reader) error) error {
		return each(r, func(f artifact.FileInfo) error {
			e.take(r.Value())
			findings = append(findings, summaries(r.Value())...)
			return put(f.Path, r)
		})
	})
	return e, findings, err
}

// summaries are the findings in what a file holds, without what makes them large.
func summaries(value any) (out []artifact.Finding) {
	findings, ok := value.(*[]artifact.Finding)
	if !ok {
		return nil
	}
	for _, f := range *findings {
		out = append(out, artifact.Finding{Number: f.Number, Verdict: f.Verdict, Kind: f.Kind, File: f.File, Line: f.Line, Col: f.Col, Function: f.Function, Message: f.Message, Test: f.Test})
	}
	return out
}

// place tells merged findings apart.
type place struct {
	kind, file string
	line, col  int
	function   string
	message    string
}

// rank orders verdicts by how much they say.
func rank(verdict string) int {
	if i := slices.Index(verdicts, verdict); i >= 0 {
		return i
	}
	return len(verdicts)
}

// emptyDir makes a directory that has nothing in it, and reports whether it was not there.
func emptyDir(dir string) (made bool, err error) {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true, os.Mkdir(dir, 0o755)
	case err == nil && len(entries) > 0:
		err = &artifact.ExistsError{Path: dir, Reason: "not empty"}
	}
	return false, err
}

// String is the collection in words.
func (c *Collection) String() string {
	if c == nil {
		return ""
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%d bundles, %d findings\n", len(c.Bundles), len(c.Findings))
	for _, m := range c.Findings {
		fmt.Fprintf(&out, "\n%s: %s at %s:%d:%d in %s\n  %s\n", strings.ToUpper(m.Verdict), m.Kind, m.File, m.Line, m.Col, m.Function, m.Message)
		for _, s := range m.Seen {
			fmt.Fprintf(&out, "  %s in %s %s: finding %d of %s\n", s.Verdict, s.Program, s.Entry, s.Number, s.Bundle)
		}
	}
	return out.String()
}
