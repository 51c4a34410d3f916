package bundle

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/artifact/schema"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/proxyfile"
	"github.com/vtrace/vtrace/internal/storage"
	"github.com/vtrace/vtrace/internal/uppaal"
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

// Report is what is known of a bundle that was verified.
type Report struct {
	Digest string
	// Manifest has no list of files: Files is how many there are.
	Manifest artifact.Manifest
	Files    int
	// Problems are what is wrong, nil if nothing is.
	Problems []Problem
}

// Verify checks a bundle that was loaded, so that its digests are right and its files have
// their forms: that they are those of the schemas, that its pass has written all that it
// writes, and that what the files say of each other is so. No problems are nil.
func Verify(b *artifact.Bundle) []Problem {
	if b == nil {
		return []Problem{{"", "there is no bundle"}}
	}
	report, err := verify(b.Reader())
	if err != nil {
		return []Problem{{"", err.Error()}}
	}
	return report.Problems
}

// VerifyFile checks the bundle at a path as Verify does. What loading it would refuse is an
// error.
func VerifyFile(path string, o artifact.OpenOptions) (*Report, error) {
	r, err := artifact.Open(path, o)
	if err != nil {
		return nil, err
	}
	return verify(r)
}

// VerifyParent checks what a bundle and the one that it names as its parent, or was slimmed
// from, say of each other.
func VerifyParent(b, parent *artifact.Bundle) []Problem {
	return reportOf(b).VerifyParent(reportOf(parent))
}

// reportOf is what is known of a bundle without verifying it.
func reportOf(b *artifact.Bundle) *Report {
	if b == nil {
		return nil
	}
	return newReport(b.Reader())
}

func newReport(r *artifact.Reader) *Report {
	report := &Report{Digest: r.Digest(), Manifest: r.Manifest()}
	report.Files, report.Manifest.Files = len(report.Manifest.Files), nil
	return report
}

// VerifyParent checks what a bundle and the one that it names as its parent, or was slimmed
// from, say of each other.
func (r *Report) VerifyParent(parent *Report) []Problem {
	known := r != nil && parent != nil
	if r == nil {
		r = &Report{}
	}
	if parent == nil {
		parent = &Report{}
	}
	m, p := r.Manifest, parent.Manifest
	var out []Problem
	add := func(format string, args ...any) {
		out = append(out, Problem{manifestFile, fmt.Sprintf(format, args...)})
	}
	switch d := parent.Digest; {
	case !known || d != m.Parent && d != m.SlimmedFrom:
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

// verifier collects the problems of one bundle while its files go by. What a file says of
// another one is looked at when both are known: facts, findings, the model, queries,
// refutations and the sidecar come before the first test or trace, and verdicts are last.
type verifier struct {
	manifest artifact.Manifest
	paths    []string

	side        *artifact.Sidecar
	shape       *modelShape
	asks        []artifact.Query
	verdicts    []artifact.Verdict
	refutations []artifact.Refutation
	facts       []artifact.Fact
	found       []artifact.Finding
	sums        map[string]bool // whether a go.sum file names a module of the bundle
	dated       map[string]bool // the .info files that say something else than the version

	settled bool // the following are known
	queries map[int]artifact.Query
	sites   map[string]artifact.Site // by their keys

	part     part // of what is looked at
	problems [parts][]Problem
}

// part is one of those in whose order problems are listed. They are found in another one.
type part int

const (
	ofSchemas part = iota
	ofManifest
	ofAnswers
	ofTraces
	ofFindings
	parts
)

// maxProblems bounds the list: a bundle of somebody may have any number.
const maxProblems = 1000

func (v *verifier) add(file, format string, args ...any) {
	if list := &v.problems[v.part]; len(*list) < maxProblems {
		*list = append(*list, Problem{file, fmt.Sprintf(format, args...)})
	}
}

func (v *verifier) has(path string) bool {
	_, found := slices.BinarySearch(v.paths, path)
	return found
}

// below reports whether there are files in a directory.
func (v *verifier) below(dir string) bool {
	return slices.ContainsFunc(v.paths, func(p string) bool { return strings.HasPrefix(p, dir+"/") })
}

// verify reads and closes a reader.
func verify(r *artifact.Reader) (*Report, error) {
	report := newReport(r)
	v := &verifier{manifest: r.Manifest(), queries: map[int]artifact.Query{}, sums: map[string]bool{}, dated: map[string]bool{}}
	for _, f := range v.manifest.Files {
		v.paths = append(v.paths, f.Path)
		if m, ok := moduleOf(f.Path); ok {
			v.sums[sumOf(m)] = false
		}
	}
	if data, err := storage.EncodeJSON(v.manifest); err == nil {
		v.schema(manifestFile, data)
	}
	err := each(r, func(f artifact.FileInfo) error { return v.file(f, r) })
	if err != nil {
		return nil, err
	}
	v.settle()
	v.part = ofAnswers
	v.answers()
	v.part = ofFindings
	v.findings()
	v.modules()
	for _, list := range v.problems {
		report.Problems = append(report.Problems, list...)
	}
	report.Problems = report.Problems[:min(len(report.Problems), maxProblems)]
	return report, nil
}

// file looks at a file by itself, and keeps what others say of it.
func (v *verifier) file(f artifact.FileInfo, r *artifact.Reader) error {
	v.part = ofSchemas
	if schema.For(f.Path) != "" {
		data, err := r.Content()
		if err != nil {
			return err
		}
		v.schema(f.Path, data)
	}
	switch value := r.Value().(type) {
	case *artifact.Sidecar:
		v.side = value
	case *[]artifact.Query:
		v.asks = *value
	case *[]artifact.Verdict:
		v.verdicts = *value
	case *[]artifact.Refutation:
		v.refutations = *value
	case *[]artifact.Fact:
		v.facts = *value
	case *[]artifact.Finding:
		v.found = *value
	}
	switch {
	case f.Path == artifact.ModelPath:
		v.shape = shapeOf(r)
	case strings.HasPrefix(f.Path, artifact.ModulesDir+"/"):
		if m, ok := moduleOf(f.Path); ok && m.Ext == ".info" {
			return v.info(f, m, r)
		}
	case strings.HasPrefix(f.Path, artifact.SourceDir+"/"):
		if base := path.Base(f.Path); len(v.sums) > 0 && (base == "go.sum" || base == "go.work.sum") {
			return v.sum(r)
		}
	case strings.HasPrefix(f.Path, "tests/"), strings.HasPrefix(f.Path, "traces/"):
		v.settle()
		v.part = ofTraces
		trace, _ := r.Value().(*artifact.Trace)
		v.trace(f.Path, trace)
	}
	return nil
}

// settle looks at what has to be known before the traces are.
func (v *verifier) settle() {
	if v.settled {
		return
	}
	v.settled = true
	v.part = ofManifest
	v.pass()
	v.sidecar()
	v.model()
	v.asked()
}

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

// schema compares a file with its schema, which is that of the newest version.
func (v *verifier) schema(file string, data []byte) {
	s := compiled()[schema.For(file)]
	if s == nil || v.manifest.Version != artifact.Version {
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
	if needs != "" && !v.below(artifact.OverlayDir) {
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

// modelShape is what is kept of a model.
type modelShape struct {
	err       error // why it cannot be read
	templates []templateShape
}

type templateShape struct {
	name             string
	locations, edges int
}

func shapeOf(xml io.Reader) *modelShape {
	net, err := uppaal.ReadXML(xml)
	if err != nil {
		return &modelShape{err: err}
	}
	m := &modelShape{}
	for _, t := range net.Templates {
		m.templates = append(m.templates, templateShape{t.Name, len(t.Locations), len(t.Edges)})
	}
	return m
}

// model compares the sidecar with the model.
func (v *verifier) model() {
	if v.shape == nil || v.side.Outside() != nil {
		return
	}
	if err := v.shape.err; err != nil {
		v.add(artifact.ModelPath, "%v", err)
		return
	}
	if len(v.shape.templates) != len(v.side.Templates) {
		v.add(artifact.SidecarPath, "it has %d templates, and the model %d", len(v.side.Templates), len(v.shape.templates))
		return
	}
	for i, t := range v.shape.templates {
		s := v.side.Templates[i]
		if s.Name != t.name || len(s.Locations) != t.locations || len(s.Edges) != t.edges {
			v.add(artifact.SidecarPath, "template %d is %q with %d locations and %d edges, and in the model %q with %d and %d",
				i, s.Name, len(s.Locations), len(s.Edges), t.name, t.locations, t.edges)
		}
	}
}

// asked looks at the queries.
func (v *verifier) asked() {
	for _, q := range v.asks {
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
	for _, a := range v.verdicts {
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
	for _, r := range v.refutations {
		v.query(artifact.RefutationsPath, r.Query)
	}
	for i, f := range v.facts {
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

// trace looks at a trace, or a test of one, and at what follows it.
func (v *verifier) trace(p string, tr *artifact.Trace) {
	query, k, ok := numbers(p)
	if !ok {
		v.add(p, "its numbers are too large")
		return
	}
	v.query(p, query)
	if tr == nil {
		if !v.has(artifact.TracePath(query, k)) {
			v.add(p, "there is no trace for it")
		}
		return
	}
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
		return
	}
	for i, s := range tr.Plan.Steps {
		v.site(p, fmt.Sprintf("step %d of the plan", i+1), s.Site)
	}
	for _, g := range tr.Plan.Expect.Goroutines {
		v.site(p, "what the plan expects", g.Site)
	}
}

// site checks that the key of a guard is one of the program: of a site, or of a guard that
// only the runtime has there.
func (v *verifier) site(file, what, key string) {
	if _, ok := v.sites[key]; !ok && key != "" {
		v.add(file, "%s: there is no site %q", what, key)
	}
}

// moduleOf reads the path of a file of a module.
func moduleOf(p string) (proxyfile.File, bool) {
	name, ok := strings.CutPrefix(p, artifact.ModulesDir+"/")
	if !ok {
		return proxyfile.File{}, false
	}
	return proxyfile.Parse(name)
}

// sumOf is what a line of go.sum begins with that is of a file of a module.
func sumOf(m proxyfile.File) string {
	if m.Ext == ".mod" {
		return m.Module + " " + m.Version + "/go.mod"
	}
	return m.Module + " " + m.Version
}

// info looks at a file of a module that has its version.
func (v *verifier) info(f artifact.FileInfo, m proxyfile.File, r *artifact.Reader) error {
	want := fmt.Sprintf(`{"Version":%q}`, m.Version)
	if f.Size == int64(len(want)) {
		data, err := r.Content()
		if err != nil || string(data) == want {
			return err
		}
	}
	v.dated[f.Path] = true
	return nil
}

// sum notes which modules of the bundle a go.sum file names.
func (v *verifier) sum(r *artifact.Reader) error {
	data, err := r.Content()
	if err != nil {
		return err
	}
	for line := range bytes.Lines(data) {
		if f := bytes.Fields(line); len(f) == 3 {
			name := string(f[0]) + " " + string(f[1])
			if _, needed := v.sums[name]; needed {
				v.sums[name] = true
			}
		}
	}
	return nil
}

// modules looks at the modules that the program depends on. Whether they are what go.sum says
// the go command finds out, which unpacks them.
func (v *verifier) modules() {
	for _, file := range v.paths {
		m, ok := moduleOf(file)
		switch {
		case !ok:
		case v.dated[file]:
			v.add(file, "it is not what a proxy without dates says of version %s", m.Version)
		case m.Ext == ".info":
		case !v.sums[sumOf(m)]:
			v.add(file, "no go.sum of the program names it, so that it is of no use")
		case m.Ext == ".zip" && !v.has(strings.TrimSuffix(file, m.Ext)+".mod"):
			v.add(file, "there is no .mod file for it")
		}
	}
}

func (v *verifier) findings() {
	seen := map[int]bool{}
	for _, f := range v.found {
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
