package bundle

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/artifact/schema"
	"github.com/vtrace/vtrace/orchestrate"
	"github.com/vtrace/vtrace/uppaal"
)

// Problem is something in a bundle that is not as it should be.
type Problem struct {
	File string `json:"file"` // path in the bundle, "" for the bundle as a whole
	Text string `json:"text"`
}

func (p Problem) String() string {
	if p.File == "" {
		return p.Text
	}
	return p.File + ": " + p.Text
}

const manifestFile = "manifest.json"

// Verify checks a bundle that was loaded, so that its digests are right and its files have
// their forms: that they are those of the schemas, that its pass has written all that it
// writes, and that what the files say of each other is so. No problems are nil.
func Verify(b *artifact.Bundle) []Problem {
	if b == nil {
		return []Problem{{"", "there is no bundle"}}
	}
	v := &verifier{bundle: b, manifest: b.Manifest(), side: b.Sidecar(), queries: map[int]artifact.Query{}}
	v.schemas()
	v.pass()
	v.sidecar()
	v.model()
	v.asked()
	v.answers()
	v.traces()
	v.findings()
	v.modules()
	return v.problems
}

// VerifyParent checks what a bundle and the one that it names as its parent, or was slimmed
// from, say of each other.
func VerifyParent(b, parent *artifact.Bundle) []Problem {
	m, p := b.Manifest(), parent.Manifest()
	var out []Problem
	add := func(format string, args ...any) {
		out = append(out, Problem{manifestFile, fmt.Sprintf(format, args...)})
	}
	switch d := parent.Digest(); {
	case b == nil || parent == nil || d != m.Parent && d != m.SlimmedFrom:
		add("%s is not the bundle that this one was made from", d)
	case d == m.Parent && len(m.Changed) > 0 && m.Pass == p.Pass && m.Entry == p.Entry:
		// It was changed by hand, as it says.
	case m.Entry != p.Entry:
		add("the entry is %s of %s, that of the bundle it was made from %s of %s", m.Entry.Func, m.Entry.Package, p.Entry.Func, p.Entry.Package)
	case m.Source != p.Source:
		add("the files of the program are not those of the bundle it was made from")
	case d == m.SlimmedFrom && m.Pass != p.Pass:
		add("a bundle of the %s pass cannot be slimmed from one of the %s pass", m.Pass, p.Pass)
	case d == m.Parent && before[m.Pass] != p.Pass:
		add("the %s pass does not start from a bundle of the %s pass", m.Pass, p.Pass)
	}
	return out
}

// before is the pass from which another one starts.
var before = map[string]string{artifact.PassSecond: artifact.PassFirst, artifact.PassDeep: artifact.PassSecond}

// verifier collects the problems of one bundle.
type verifier struct {
	bundle   *artifact.Bundle
	manifest artifact.Manifest
	side     *artifact.Sidecar
	queries  map[int]artifact.Query
	sites    map[string]artifact.Site // by their keys
	problems []Problem
}

// maxProblems bounds the list: a bundle of somebody may have any number.
const maxProblems = 1000

func (v *verifier) add(file, format string, args ...any) {
	if len(v.problems) < maxProblems {
		v.problems = append(v.problems, Problem{file, fmt.Sprintf(format, args...)})
	}
}

func (v *verifier) has(path string) bool {
	_, found := slices.BinarySearch(v.paths(), path)
	return found
}

func (v *verifier) paths() []string { return v.bundle.Paths() }

// compiled are the schemas by their names.
var compiled = sync.OnceValue(func() map[string]*jsonschema.Schema {
	out := map[string]*jsonschema.Schema{}
	for _, name := range schema.Names() {
		data, _ := schema.Read(name)
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			panic(err) // it is embedded, and tests compile it
		}
		c := jsonschema.NewCompiler()
		if err := c.AddResource(name, doc); err != nil {
			panic(err)
		}
		out[name] = c.MustCompile(name)
	}
	return out
})

// schemas compares the files with the schemas, which are those of the newest version.
func (v *verifier) schemas() {
	if v.manifest.Version != artifact.Version {
		return
	}
	check := func(file string, data []byte) {
		s := compiled()[schema.For(file)]
		if s == nil {
			return
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			v.add(file, "%v", err)
			return
		}
		var invalid *jsonschema.ValidationError
		if err := s.Validate(doc); errors.As(err, &invalid) {
			for _, l := range leaves(invalid, nil) {
				v.add(file, "at /%s: %s", strings.Join(l.InstanceLocation, "/"), reason(l))
			}
		} else if err != nil {
			v.add(file, "%v", err)
		}
	}
	if data, err := artifact.EncodeJSON(v.manifest); err == nil {
		check(manifestFile, data)
	}
	for _, p := range v.paths() {
		if schema.For(p) != "" {
			data, _ := v.bundle.Read(p)
			check(p, data)
		}
	}
}

// leaves are the errors that an error consists of.
func leaves(e *jsonschema.ValidationError, out []*jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(e.Causes) == 0 {
		return append(out, e)
	}
	for _, c := range e.Causes {
		out = leaves(c, out)
	}
	return out
}

// reason is an error of the schema without the place, which is said before.
func reason(e *jsonschema.ValidationError) string {
	text := e.Error()
	if _, last, ok := strings.Cut(text, "': "); ok {
		text = last
	}
	return strings.TrimSpace(text)
}

// written are the files that a bundle of a pass has.
var written = map[string][]string{
	artifact.PassTranslate: {artifact.ModelPath, artifact.QueriesPath, artifact.SidecarPath},
	artifact.PassFirst:     {artifact.ModelPath, artifact.QueriesPath, artifact.SidecarPath, artifact.VerdictsPath, artifact.FindingsPath},
	artifact.PassSecond:    {artifact.ModelPath, artifact.QueriesPath, artifact.SidecarPath, artifact.VerdictsPath, artifact.FindingsPath},
	artifact.PassDeep:      {artifact.ModelPath, artifact.QueriesPath, artifact.SidecarPath, artifact.VerdictsPath, artifact.FindingsPath},
}

func (v *verifier) pass() {
	m := v.manifest
	files, known := written[m.Pass]
	if !known {
		v.add(manifestFile, "there is no pass %q", m.Pass)
	}
	for _, f := range files {
		if !v.has(f) {
			v.add(f, "missing in a bundle of the %s pass", m.Pass)
		}
	}
	if m.Source == "" {
		v.add(manifestFile, "it has no files of a program")
	}
	needs := before[m.Pass]
	if needs != "" && m.Parent == "" {
		v.add(manifestFile, "a bundle of the %s pass has a parent, of the %s pass", m.Pass, needs)
	}
	if known && needs == "" && m.Parent != "" && len(m.Changed) == 0 {
		v.add(manifestFile, "a bundle of the %s pass has no parent, unless it was changed by hand", m.Pass)
	}
	overlay := slices.ContainsFunc(v.paths(), func(p string) bool { return strings.HasPrefix(p, artifact.OverlayDir+"/") })
	if needs != "" && !overlay {
		v.add(artifact.OverlayDir, "missing in a bundle of the %s pass", m.Pass)
	}
}

// sidecar looks at what the sidecar says of itself.
func (v *verifier) sidecar() {
	s := v.side
	if s == nil {
		v.side, v.sites = &artifact.Sidecar{}, map[string]artifact.Site{}
		return
	}
	add := func(format string, args ...any) { v.add(artifact.SidecarPath, format, args...) }
	v.sites = orchestrate.SitesByKey(s)
	if s.Entry != v.manifest.Entry {
		add("the entry is %q of %q, that of the manifest %q of %q", s.Entry.Func, s.Entry.Package, v.manifest.Entry.Func, v.manifest.Entry.Package)
	}
	site := func(id int, what string) {
		if id < 0 || id >= len(s.Sites) {
			add("%s: there is no site %d", what, id)
		}
	}
	keys := map[string]int{}
	for i, x := range s.Sites {
		if x.ID != i {
			add("site %d has the number %d", i, x.ID)
		}
		if other, twice := keys[x.Key]; twice && x.Key != "" {
			add("the sites %d and %d have one key", other, i)
		}
		keys[x.Key] = i
		if x.File != "" && !v.has(artifact.SourceDir+"/"+x.File) {
			add("site %d: there is no file %q in the program", i, x.File)
		}
	}
	for _, a := range s.Accesses {
		site(a, "an access")
	}
	for _, t := range s.Templates {
		for _, l := range t.Locations {
			site(l.Site, fmt.Sprintf("location %q of %q", l.Name, t.Name))
		}
		for i, e := range t.Edges {
			site(e.Site, fmt.Sprintf("edge %d of %q", i, t.Name))
			for _, a := range e.Approx {
				if a < 0 || a >= len(s.Approximations) {
					add("edge %d of %q: there is no approximation %d", i, t.Name, a)
				}
			}
		}
	}
	for i, a := range s.Approximations {
		site(a.Site, fmt.Sprintf("approximation %d", i))
	}
}

// model compares the sidecar with the model.
func (v *verifier) model() {
	xml := v.bundle.Model()
	if xml == nil || v.side.Outside() != nil {
		return
	}
	net, err := uppaal.ReadXML(bytes.NewReader(xml))
	if err != nil {
		v.add(artifact.ModelPath, "%v", err)
		return
	}
	if len(net.Templates) != len(v.side.Templates) {
		v.add(artifact.SidecarPath, "it has %d templates, and the model %d", len(v.side.Templates), len(net.Templates))
		return
	}
	for i, t := range net.Templates {
		s := v.side.Templates[i]
		if s.Name != t.Name || len(s.Locations) != len(t.Locations) || len(s.Edges) != len(t.Edges) {
			v.add(artifact.SidecarPath, "template %d is %q with %d locations and %d edges, and in the model %q with %d and %d",
				i, s.Name, len(s.Locations), len(s.Edges), t.Name, len(t.Locations), len(t.Edges))
		}
	}
}

// asked looks at the queries.
func (v *verifier) asked() {
	for _, q := range v.bundle.Queries() {
		add := func(format string, args ...any) {
			v.add(artifact.QueriesPath, "query %d: "+format, append([]any{q.Number}, args...)...)
		}
		if _, twice := v.queries[q.Number]; twice {
			add("there are two")
		}
		if q.Number < 1 {
			add("numbers begin with 1")
		}
		v.queries[q.Number] = q
		if q.Site < 0 || q.Site > 0 && q.Site >= len(v.side.Sites) {
			add("there is no site %d", q.Site)
		}
		if q.Formula != "" {
			if _, err := uppaal.ParseQuery(q.Formula); err != nil {
				add("%v", err)
			}
		}
	}
}

// query checks that there is a query.
func (v *verifier) query(file string, number int) {
	if _, ok := v.queries[number]; !ok {
		v.add(file, "there is no query %d", number)
	}
}

// answers looks at verdicts, refutations and facts.
func (v *verifier) answers() {
	seen := map[int]bool{}
	for _, a := range v.bundle.Verdicts() {
		v.query(artifact.VerdictsPath, a.Query)
		if seen[a.Query] {
			v.add(artifact.VerdictsPath, "there are two verdicts of query %d", a.Query)
		}
		seen[a.Query] = true
		for _, t := range a.Traces {
			switch n, _, ok := numbers(t); {
			case !ok || !v.has(t):
				v.add(artifact.VerdictsPath, "query %d: there is no trace %q", a.Query, t)
			case n != a.Query:
				v.add(artifact.VerdictsPath, "query %d: %s is a trace of another query", a.Query, t)
			}
		}
	}
	for _, r := range v.bundle.Refutations() {
		v.query(artifact.RefutationsPath, r.Query)
	}
	for i, f := range v.bundle.Facts() {
		if v.edge(f.Template, f.Edge) == nil {
			v.add(artifact.FactsPath, "fact %d: there is no edge %d of template %d", i, f.Edge, f.Template)
		}
	}
}

// edge is what the sidecar says of an edge, nil if there is none.
func (v *verifier) edge(template, edge int) *artifact.EdgeInfo {
	if template < 0 || template >= len(v.side.Templates) || edge < 0 || edge >= len(v.side.Templates[template].Edges) {
		return nil
	}
	return &v.side.Templates[template].Edges[edge]
}

var numbered = regexp.MustCompile(`^(?:traces|tests)/q([0-9]+)-([0-9]+)(?:\.json|_test\.go)$`)

// numbers are those of the query and of the trace in the path of a trace or a test.
func numbers(path string) (query, trace int, ok bool) {
	m := numbered.FindStringSubmatch(path)
	if m == nil {
		return 0, 0, false
	}
	query, err1 := strconv.Atoi(m[1])
	trace, err2 := strconv.Atoi(m[2])
	return query, trace, err1 == nil && err2 == nil
}

// traces looks at the traces, and at what follows them.
func (v *verifier) traces() {
	for _, p := range v.paths() {
		query, k, ok := numbers(p)
		if !ok {
			if strings.HasPrefix(p, "traces/") || strings.HasPrefix(p, "tests/") {
				v.add(p, "its numbers are too large")
			}
			continue
		}
		v.query(p, query)
		if strings.HasPrefix(p, "tests/") {
			if !v.has(artifact.TracePath(query, k)) {
				v.add(p, "there is no trace for it")
			}
			continue
		}
		tr := v.bundle.TraceAt(p)
		if tr.Query != query {
			v.add(p, "it says that it is of query %d", tr.Query)
		}
		for i, s := range tr.Steps {
			for _, part := range s.Parts {
				if v.edge(part.Template, part.Edge) == nil {
					v.add(p, "step %d: there is no edge %d of template %d", i+1, part.Edge, part.Template)
				}
			}
		}
		for _, at := range tr.Final {
			if at.Template < 0 || at.Template >= len(v.side.Templates) || at.Location < 0 || at.Location >= len(v.side.Templates[at.Template].Locations) {
				v.add(p, "there is no location %d of template %d", at.Location, at.Template)
			}
		}
		if tr.Plan == nil {
			continue
		}
		for i, s := range tr.Plan.Steps {
			v.site(p, fmt.Sprintf("step %d of the plan", i+1), s.Site)
		}
		for _, g := range tr.Plan.Expect.Goroutines {
			v.site(p, "what the plan expects", g.Site)
		}
	}
}

// site checks that the key of a guard is one of the program: of a site, or of a guard that
// only the runtime has there.
func (v *verifier) site(file, what, key string) {
	if _, ok := v.sites[key]; !ok && key != "" {
		v.add(file, "%s: there is no site %q", what, key)
	}
}

// modules looks at the modules that the program depends on. Whether they are what go.sum says
// the go command finds out, which unpacks them.
func (v *verifier) modules() {
	var sums map[string]bool
	for name, data := range v.bundle.Below(artifact.ModulesDir) {
		file := artifact.ModulesDir + "/" + name
		f, ok := artifact.ParseModuleFile(name)
		if !ok {
			continue // loading refuses it
		}
		if sums == nil {
			sums = v.sums()
		}
		switch version := f.Module + " " + f.Version; {
		case f.Ext == ".info" && string(data) != fmt.Sprintf(`{"Version":%q}`, f.Version):
			v.add(file, "it is not what a proxy without dates says of version %s", f.Version)
		case f.Ext == ".zip" && !sums[version], f.Ext == ".mod" && !sums[version+"/go.mod"]:
			v.add(file, "no go.sum of the program names it, so that it is of no use")
		case f.Ext == ".zip" && !v.has(strings.TrimSuffix(file, f.Ext)+".mod"):
			v.add(file, "there is no .mod file for it")
		}
	}
}

// sums are the modules and versions that go.sum files of the program name, as they stand there.
func (v *verifier) sums() map[string]bool {
	out := map[string]bool{}
	for name, data := range v.bundle.Below(artifact.SourceDir) {
		if base := path.Base(name); base != "go.sum" && base != "go.work.sum" {
			continue
		}
		for line := range strings.Lines(string(data)) {
			if f := strings.Fields(line); len(f) == 3 {
				out[f[0]+" "+f[1]] = true
			}
		}
	}
	return out
}

func (v *verifier) findings() {
	seen := map[int]bool{}
	for _, f := range v.bundle.Findings() {
		add := func(format string, args ...any) {
			v.add(artifact.FindingsPath, "finding %d: "+format, append([]any{f.Number}, args...)...)
		}
		if seen[f.Number] {
			add("there are two")
		}
		seen[f.Number] = true
		if _, ok := v.queries[f.Query]; !ok {
			add("there is no query %d", f.Query)
		}
		traces := []string{f.Trace}
		if f.Minimised != nil {
			traces = append(traces, f.Minimised.Of)
		}
		for _, p := range append(traces, f.Test) {
			if p == "" {
				continue
			}
			switch query, _, ok := numbers(p); {
			case !ok || !v.has(p):
				add("there is no file %q", p)
			case query != f.Query:
				add("%s is of another query", p)
			}
		}
		for _, g := range f.Goroutines {
			v.site(artifact.FindingsPath, fmt.Sprintf("finding %d, goroutine %s", f.Number, g.G), g.Site)
		}
		for _, s := range f.Interleaving {
			v.site(artifact.FindingsPath, fmt.Sprintf("finding %d, step %d", f.Number, s.Step), s.Site)
		}
	}
}
