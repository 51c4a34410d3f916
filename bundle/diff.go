package bundle

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/storage"
)

// Difference is what has changed from one bundle to another one.
type Difference struct {
	// A and B are the digests.
	A string `json:"a"`
	B string `json:"b"`
	// Manifest is what the manifests say otherwise, besides of files.
	Manifest []Change `json:"manifest,omitempty"`
	// Program are the files of the program, by their paths below its root.
	Program Files `json:"program"`
	// Model: the model is another one.
	Model bool `json:"model,omitempty"`
	// Queries are those that only one has, and those that are answered otherwise. They are
	// the same if they ask the same of the same site, whatever its line is.
	Queries []Change `json:"queries,omitempty"`
	// Findings are those that only one has, and those with another verdict: of one query.
	Findings []Change `json:"findings,omitempty"`
	// Files are all other files: traces, tests, logs, the overlay, and what has the above.
	Files Files `json:"files"`
}

// Change is what one thing is in both bundles; "" if a bundle does not have it.
type Change struct {
	What string `json:"what"`
	A    string `json:"a"`
	B    string `json:"b"`
}

// Files are the paths of files that only B has, that only A has, and that differ.
type Files struct {
	Added   []string `json:"added,omitempty"`
	Removed []string `json:"removed,omitempty"`
	Changed []string `json:"changed,omitempty"`
}

func (f Files) none() bool { return len(f.Added)+len(f.Removed)+len(f.Changed) == 0 }

// Same reports that there is no difference.
func (d *Difference) Same() bool { return d == nil || d.A == d.B }

// Diff compares two bundles, which may be of other versions of the program, of vtrace, and of
// the format.
func Diff(a, b *artifact.Bundle) (*Difference, error) {
	if a == nil || b == nil {
		return nil, &artifact.ArgumentError{Name: "bundle", Reason: "nil"}
	}
	return diff(
		func() (*artifact.Reader, error) { return a.Reader(), nil },
		func() (*artifact.Reader, error) { return b.Reader(), nil },
	)
}

// DiffFiles compares the bundles at two paths, one after the other.
func DiffFiles(a, b string, o artifact.OpenOptions) (*Difference, error) {
	return diff(
		func() (*artifact.Reader, error) { return artifact.Open(a, o) },
		func() (*artifact.Reader, error) { return artifact.Open(b, o) },
	)
}

func diff(openA, openB func() (*artifact.Reader, error)) (*Difference, error) {
	a, err := outlineOf(openA)
	if err != nil {
		return nil, err
	}
	b, err := outlineOf(openB)
	if err != nil {
		return nil, err
	}
	return &Difference{
		A: a.digest, B: b.digest,
		Manifest: changes(a.manifest, b.manifest),
		Program:  changedFiles(a.program, b.program),
		Model:    a.model != b.model,
		Queries:  changes(a.answers, b.answers),
		Findings: changes(a.findings, b.findings),
		Files:    changedFiles(a.files, b.files),
	}, nil
}

// outline is what is kept of a bundle to compare it.
type outline struct {
	digest                      string
	manifest, answers, findings table
	model                       string            // its digest; no model is like an empty one
	program, files              map[string]string // digests by paths, relative to the root of the program and to the bundle
}

// emptyDigest is that of a file without content.
var emptyDigest = digestOf(nil)

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func outlineOf(open func() (*artifact.Reader, error)) (*outline, error) {
	r, err := open()
	if err != nil {
		return nil, err
	}
	o := &outline{digest: r.Digest(), manifest: manifestOf(r), model: emptyDigest, program: map[string]string{}, files: map[string]string{}}
	var queries []artifact.Query
	var verdicts []artifact.Verdict
	var findings []artifact.Finding
	var sites *artifact.Sidecar // without the rest of it
	err = each(r, func(f artifact.FileInfo) error {
		if rel, ok := strings.CutPrefix(f.Path, artifact.SourceDir+"/"); ok {
			o.program[rel] = f.SHA256
		} else {
			o.files[f.Path] = f.SHA256
		}
		if f.Path == artifact.ModelPath {
			o.model = f.SHA256
		}
		switch v := r.Value().(type) {
		case *[]artifact.Query:
			queries = *v
		case *[]artifact.Verdict:
			verdicts = *v
		case *[]artifact.Finding:
			findings = *v
		case *artifact.Sidecar:
			sites = &artifact.Sidecar{Sites: v.Sites}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	name := about(sites)
	o.answers = answersOf(queries, verdicts, name)
	o.findings = findingsOf(findings, queries, name)
	return o, nil
}

// table is what is compared: values by names, in their order.
type table struct {
	names  []string
	values map[string]string
}

// add adds a value; the second of one name gets a number.
func (t *table) add(name, value string) {
	if t.values == nil {
		t.values = map[string]string{}
	}
	unique := name
	for i := 2; ; i++ {
		if _, twice := t.values[unique]; !twice {
			break
		}
		unique = fmt.Sprintf("%s (%d)", name, i)
	}
	t.names = append(t.names, unique)
	t.values[unique] = value
}

func changes(a, b table) []Change {
	var out []Change
	for _, n := range a.names {
		if b.values[n] != a.values[n] {
			out = append(out, Change{n, a.values[n], b.values[n]})
		}
	}
	for _, n := range b.names {
		if _, ok := a.values[n]; !ok && b.values[n] != "" {
			out = append(out, Change{n, "", b.values[n]})
		}
	}
	return out
}

func manifestOf(r *artifact.Reader) (t table) {
	m := r.Manifest()
	t.add("format version", fmt.Sprint(m.Version))
	t.add("pass", m.Pass)
	t.add("vtrace", m.Tool)
	t.add("go", m.Go)
	t.add("package", m.Entry.Package)
	t.add("entry", m.Entry.Func)
	if o, err := storage.EncodeJSON(r.Options()); err == nil {
		var line bytes.Buffer
		for word := range strings.FieldsSeq(string(o)) {
			line.WriteString(word)
		}
		t.add("options", line.String())
	}
	t.add("parent", m.Parent)
	t.add("slimmed from", m.SlimmedFrom)
	t.add("changed by hand", strings.Join(m.Changed, ", "))
	return t
}

// about names what a query asks, in a way that survives edits elsewhere.
func about(side *artifact.Sidecar) func(q artifact.Query) string {
	return func(q artifact.Query) string {
		site, _ := side.Site(q.Site)
		text := fmt.Sprintf("%s: %s", cmp.Or(site.Key, q.Category), q.Description)
		if q.Process != "" {
			text += " in " + q.Process
		}
		return text
	}
}

func answersOf(queries []artifact.Query, verdicts []artifact.Verdict, name func(artifact.Query) string) (t table) {
	results := map[int]string{}
	for _, v := range verdicts {
		results[v.Query] = words[v.Result]
	}
	for _, q := range queries {
		t.add(name(q), cmp.Or(results[q.Number], "not asked"))
	}
	return t
}

// words are the results of queries as people read them.
var words = map[string]string{"T": "satisfied", "F": "violated", "M": "undecided", "E": "error"}

func findingsOf(findings []artifact.Finding, queries []artifact.Query, name func(artifact.Query) string) (t table) {
	byNumber := map[int]artifact.Query{}
	for _, q := range queries {
		byNumber[q.Number] = q
	}
	for _, f := range findings {
		q, ok := byNumber[f.Query]
		if !ok {
			q = artifact.Query{Description: f.Message, Category: f.Function}
		}
		t.add(f.Kind+" at "+name(q), f.Verdict)
	}
	return t
}

// changedFiles compares the digests of files, by their names.
func changedFiles(old, fresh map[string]string) (out Files) {
	for _, name := range slices.Sorted(maps.Keys(old)) {
		switch digest, ok := fresh[name]; {
		case !ok:
			out.Removed = append(out.Removed, name)
		case digest != old[name]:
			out.Changed = append(out.Changed, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fresh)) {
		if _, ok := old[name]; !ok {
			out.Added = append(out.Added, name)
		}
	}
	return out
}

// String is the difference in words, "" if there is none.
func (d *Difference) String() string {
	if d.Same() {
		return ""
	}
	var out strings.Builder
	fmt.Fprintf(&out, "A %s\nB %s\n", d.A, d.B)
	section := func(title string, list []Change) {
		if len(list) == 0 {
			return
		}
		fmt.Fprintf(&out, "\n%s:\n", title)
		for _, c := range list {
			switch {
			case c.A == "":
				fmt.Fprintf(&out, "  + %s: %s\n", c.What, c.B)
			case c.B == "":
				fmt.Fprintf(&out, "  - %s: %s\n", c.What, c.A)
			default:
				fmt.Fprintf(&out, "  ~ %s: %s -> %s\n", c.What, c.A, c.B)
			}
		}
	}
	section("manifest", d.Manifest)
	if !d.Program.none() {
		out.WriteString("\nprogram:\n")
		for _, g := range []struct {
			mark  string
			paths []string
		}{{"+", d.Program.Added}, {"-", d.Program.Removed}, {"~", d.Program.Changed}} {
			for _, p := range g.paths {
				fmt.Fprintf(&out, "  %s %s\n", g.mark, p)
			}
		}
	}
	if d.Model {
		out.WriteString("\nmodel: another one\n")
	}
	section("queries", d.Queries)
	section("findings", d.Findings)
	if !d.Files.none() {
		fmt.Fprintf(&out, "\nfiles besides those of the program: %d added, %d removed, %d changed\n", len(d.Files.Added), len(d.Files.Removed), len(d.Files.Changed))
	}
	return out.String()
}
