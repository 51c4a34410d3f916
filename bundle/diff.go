package bundle

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vtrace/vtrace/artifact"
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
	d := &Difference{A: a.Digest(), B: b.Digest()}
	d.Manifest = changes(manifestOf(a), manifestOf(b))
	d.Program = files(a, b, func(p string) (string, bool) { return strings.CutPrefix(p, artifact.SourceDir+"/") })
	d.Files = files(a, b, func(p string) (string, bool) {
		return p, !strings.HasPrefix(p, artifact.SourceDir+"/")
	})
	d.Model = !bytes.Equal(a.Model(), b.Model())
	d.Queries = changes(answersOf(a), answersOf(b))
	d.Findings = changes(findingsOf(a), findingsOf(b))
	return d, nil
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

func manifestOf(b *artifact.Bundle) (t table) {
	m := b.Manifest()
	t.add("format version", fmt.Sprint(m.Version))
	t.add("pass", m.Pass)
	t.add("vtrace", m.Tool)
	t.add("go", m.Go)
	t.add("package", m.Entry.Package)
	t.add("entry", m.Entry.Func)
	if o, err := artifact.EncodeJSON(b.Options()); err == nil {
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
func about(b *artifact.Bundle) func(q artifact.Query) string {
	side := b.Sidecar()
	return func(q artifact.Query) string {
		site, _ := side.Site(q.Site)
		text := fmt.Sprintf("%s: %s", cmp.Or(site.Key, q.Category), q.Description)
		if q.Process != "" {
			text += " in " + q.Process
		}
		return text
	}
}

func answersOf(b *artifact.Bundle) (t table) {
	results := map[int]string{}
	for _, v := range b.Verdicts() {
		results[v.Query] = words[v.Result]
	}
	name := about(b)
	for _, q := range b.Queries() {
		t.add(name(q), cmp.Or(results[q.Number], "not asked"))
	}
	return t
}

// words are the results of queries as people read them.
var words = map[string]string{"T": "satisfied", "F": "violated", "M": "undecided", "E": "error"}

func findingsOf(b *artifact.Bundle) (t table) {
	queries := map[int]artifact.Query{}
	for _, q := range b.Queries() {
		queries[q.Number] = q
	}
	name := about(b)
	for _, f := range b.Findings() {
		q, ok := queries[f.Query]
		if !ok {
			q = artifact.Query{Description: f.Message, Category: f.Function}
		}
		t.add(f.Kind+" at "+name(q), f.Verdict)
	}
	return t
}

// files compares those that a function takes, under the names that it gives them.
func files(a, b *artifact.Bundle, take func(string) (string, bool)) (out Files) {
	digests := func(x *artifact.Bundle) map[string]string {
		all := map[string]string{}
		for _, f := range x.Manifest().Files {
			if name, ok := take(f.Path); ok {
				all[name] = f.SHA256
			}
		}
		return all
	}
	old, fresh := digests(a), digests(b)
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
