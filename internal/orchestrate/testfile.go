package orchestrate

import (
	"bytes"
	_ "embed"
	"fmt"
	"go/format"
	"go/token"
	"path"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"text/template"
	"weak"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/explain"
	"github.com/vtrace/vtrace/internal/orcruntime"
	"github.com/vtrace/vtrace/internal/repeat"
)

// The environment variables that a test binary looks at.
const (
	envPlan    = orcruntime.EnvPlan
	envResult  = orcruntime.EnvResult
	envLog     = orcruntime.EnvLog
	envJournal = orcruntime.EnvJournal
)

const (
	// driverTest is the name of the test that takes its plan from a file.
	driverTest = "TestVtraceDriver"
	driverFile = "zz_vtrace_driver_test.go"
	maxLog     = orcruntime.MaxLog
	// language raises generated files to the language version that calls of the
	// runtime need, in modules with an older one.
	language = "go1.21"
	// buildTag keeps generated tests out of builds without the overlay.
	buildTag = "//go:build vtrace && " + language
	// plainTag is what builds with the overlay have in its place, and oldTag that
	// of tests which were generated before.
	plainTag = "//go:build " + language
	oldTag   = "//go:build vtrace"
)

// Meta is what a generated test says of itself.
type Meta struct {
	Query int
	// Trace is the number of the trace among those of the query, from 1.
	Trace int
	// Kind, Category, Message, File and Line describe the possible error.
	Kind, Category, Message string
	File                    string
	Line                    int
	// Formula is the query that the trace violates.
	Formula string
	// Reproduce is the command that runs the test.
	Reproduce string
}

// MetaOf describes the k-th trace of a query.
func MetaOf(q artifact.Query, k int, reproduce string) Meta {
	return Meta{
		Query: q.Number, Trace: k, Kind: q.Kind, Category: q.Category, Message: q.Description,
		File: q.File, Line: q.Line, Formula: q.Formula, Reproduce: reproduce,
	}
}

// TestName is the name of the generated test function.
func (m Meta) TestName() string { return fmt.Sprintf("TestOrchestration_Q%d_%d", m.Query, m.Trace) }

// FileName is the name of the generated file beside the program's files.
func (m Meta) FileName() string { return fmt.Sprintf("vtrace_q%d_%d_test.go", m.Query, m.Trace) }

//go:embed test.tmpl
var testText string

var testTemplate = template.Must(template.New("test").Funcs(imports{}.funcs()).Parse(testText))

// imports names the imported packages of a generated file: by their own names,
// but for those that the package under check declares itself.
type imports struct{ taken []string }

func (im imports) name(pkg string) string {
	for slices.Contains(im.taken, pkg) {
		pkg = "zz" + pkg
	}
	return pkg
}

func (im imports) funcs() template.FuncMap {
	return template.FuncMap{
		"quote": strconv.Quote,
		"pkg":   im.name,
		"import": func(name, importPath string) string {
			if as := im.name(name); as != path.Base(importPath) {
				return as + " " + strconv.Quote(importPath)
			}
			return strconv.Quote(importPath)
		},
	}
}

// Test generates the Orchestration test of a plan: a Go file for the package
// of the entry. It needs the overlay to compile, so it has the build constraint
// "vtrace". It fails if the error is reproduced, is skipped if the program
// could not be controlled, and passes otherwise, except that a test under check
// that fails by itself fails it too.
func Test(target Target, side *artifact.Sidecar, plan artifact.Plan, meta Meta) ([]byte, error) {
	return generate(target, side, &plan, meta)
}

// driver generates the test that takes its plan from a file, so that one
// binary runs every plan of a program, and each of tests, if there are any: of the package of the target, or
// of the one that it tests.
func driver(target Target, tests ...artifact.Entry) ([]byte, error) {
	if len(tests) > 0 {
		// What the file says depends on no single entry.
		target.Entry.Func, target.End = tests[0].Func, ""
	}
	return generateFor(target, nil, nil, Meta{}, tests)
}

type testData struct {
	BuildTag, Func, Package string
	Doc                     []string
	Driver, IsTest          bool
	Plan                    artifact.Plan
	Name, End, Main         string
	Args                    []string
	Tests                   []testFunc // that a shared driver knows
	Tested                  string     // the path of the package that some of them are in, if not in that of the driver
	Steps                   []testStep
	Repeats                 []orcruntime.Repeat
	EnvPlan, Runtime        string
}

// testFunc is a test function, by the name that the driver knows it by; Tested if it is in another package.
type testFunc struct {
	Name, Func string
	Tested     bool
}

type testStep struct {
	artifact.PlanStep
	Comment string
}

// String is the step as an element of the list in a test.
func (s testStep) String() string {
	text := fmt.Sprintf("{G: %q", s.G)
	if s.Site != "" {
		text += fmt.Sprintf(", Site: %q", s.Site)
	}
	if s.Occ != 0 {
		text += fmt.Sprintf(", Occ: %d", s.Occ)
	}
	if s.Case != 0 {
		text += fmt.Sprintf(", Case: %d", s.Case)
	}
	text += "},"
	if s.Comment != "" {
		text += " // " + s.Comment
	}
	return text
}

// folded shortens the steps of a long plan that repeats some, which Plan.Whole makes again.
func folded(steps []artifact.PlanStep) ([]artifact.PlanStep, []orcruntime.Repeat) {
	if len(steps) < repeat.Long {
		return steps, nil
	}
	// What Occ counts is checked below: it is the same for no two passes.
	kinds, known := make([]int, len(steps)), map[orcruntime.Step]int{}
	for i, s := range steps {
		st := orcruntime.Step{G: s.G, Site: s.Site, Case: s.Case, Occ: min(s.Occ, 1)}
		if _, ok := known[st]; !ok {
			known[st] = len(known)
		}
		kinds[i] = known[st]
	}
	var out []artifact.PlanStep
	var repeats []orcruntime.Repeat
	done := 0
	for _, b := range repeat.Blocks(kinds) {
		block := orcruntime.Plan{Repeats: []orcruntime.Repeat{{Length: b.Length, Times: b.Times}}}
		for _, s := range steps[b.At : b.At+b.Length] {
			block.Steps = append(block.Steps, orcruntime.Step{G: s.G, Site: s.Site, Occ: s.Occ, Case: s.Case})
		}
		whole, err := block.Whole()
		same := func(st orcruntime.Step, s artifact.PlanStep) bool { return st.Occ == s.Occ }
		if err != nil || !slices.EqualFunc(whole, steps[b.At:b.At+b.Length*b.Times], same) {
			continue
		}
		out = append(out, steps[done:b.At+b.Length]...)
		done = b.At + b.Length*b.Times
		repeats = append(repeats, orcruntime.Repeat{At: len(out) - b.Length, Length: b.Length, Times: b.Times})
	}
	return append(out, steps[done:]...), repeats
}

func generate(target Target, side *artifact.Sidecar, plan *artifact.Plan, meta Meta) ([]byte, error) {
	return generateFor(target, side, plan, meta, nil)
}

// generateFor is generate for a program with one entry or, if tests has some, the driver for those.
func generateFor(target Target, side *artifact.Sidecar, plan *artifact.Plan, meta Meta, tests []artifact.Entry) ([]byte, error) {
	if err := target.check(); err != nil {
		return nil, err
	}
	if !token.IsIdentifier(target.Entry.Func) || !token.IsIdentifier(target.Name) {
		return nil, fmt.Errorf("target: %s.%s is not a function", target.Name, target.Entry.Func)
	}
	d := testData{
		BuildTag: buildTag, Package: target.Name, IsTest: target.IsTest(),
		End: target.End, Main: target.Entry.Func, Args: target.Args, EnvPlan: envPlan,
	}
	for _, test := range tests {
		other := test.Package != target.Entry.Package
		if other {
			d.Tested = test.Package
		}
		d.Tests = append(d.Tests, testFunc{nameOf(test), test.Func, other})
	}
	if d.Runtime = target.Runtime; d.Runtime == "" {
		d.Runtime = defaultRuntime
	}
	if plan == nil {
		d.BuildTag = plainTag
		d.Driver, d.Func = true, driverTest
	} else {
		d.Func = meta.TestName()
		d.Name = fmt.Sprintf("q%d-%d", meta.Query, meta.Trace)
		d.Plan = *plan
		sites := SitesByKey(side)
		steps, repeats := folded(plan.Steps)
		d.Repeats = repeats
		for _, s := range steps {
			d.Steps = append(d.Steps, testStep{s, describe(sites, s)})
		}
		d.Doc = doc(target, side, *plan, meta)
	}
	// To format hundreds of thousands of lines takes as long as to run them: a long list is put in afterwards.
	var long []testStep
	if len(d.Steps) > repeat.Long {
		long, d.Steps = d.Steps, nil
	}
	var buf bytes.Buffer
	tmpl, err := testTemplate.Clone()
	if err == nil {
		err = tmpl.Funcs(imports{target.Taken}.funcs()).Execute(&buf, d)
	}
	if err != nil {
		return nil, fmt.Errorf("generate test: %w", err)
	}
	src, err := format.Source(buf.Bytes())
	if err != nil {
		return nil, fmt.Errorf("generate test: %w", err)
	}
	if len(long) > 0 {
		return insertSteps(src, imports{target.Taken}.name("vtraceorc"), long), nil
	}
	return src, nil
}

// insertSteps puts steps into the empty list of them in a test: one to a line, with comments that are not aligned.
func insertSteps(src []byte, runtime string, steps []testStep) []byte {
	before, behind, _ := bytes.Cut(src, []byte("Steps: []"+runtime+".Step{}"))
	out := bytes.NewBuffer(make([]byte, 0, len(src)+100*len(steps)))
	fmt.Fprintf(out, "%sSteps: []%s.Step{\n", before, runtime)
	for _, s := range steps {
		fmt.Fprintf(out, "\t\t\t%v\n", s)
	}
	out.WriteString("\t\t}")
	out.Write(behind)
	return out.Bytes()
}

// spinSuffix marks the guard that the runtime has in a statement that polls, see
// orcruntime.Polled.
const spinSuffix = ".spin"

// SitesByKey are the sites of a program and the guards that the runtime has there
// besides, by their keys. The map is the same for all who ask for that of a sidecar.
func SitesByKey(side *artifact.Sidecar) map[string]artifact.Site { return indexOf(side).byKey }

// SiteAt is the site of a program that has a key, which is none of the guards that the runtime has there besides; ok is
// false if there is none.
func SiteAt(side *artifact.Sidecar, key string) (site artifact.Site, ok bool) {
	i, ok := indexOf(side).own[key]
	if !ok {
		return artifact.Site{}, false
	}
	return side.Sites[i], true
}

// indexOf is the index of the sites of a sidecar, which is made once.
func indexOf(side *artifact.Sidecar) *siteIndex {
	key := weak.Make(side)
	if known, ok := siteIndexes.Load(key); ok && known.(*siteIndex).sites == len(side.Sites) {
		return known.(*siteIndex)
	}
	index := &siteIndex{len(side.Sites), indexSites(side), make(map[string]int, len(side.Sites))}
	for i, s := range side.Sites {
		if _, known := index.own[s.Key]; !known && s.Key != "" { // the first of the list has no key
			index.own[s.Key] = i
		}
	}
	if _, known := siteIndexes.Swap(key, index); !known {
		runtime.AddCleanup(side, func(key weak.Pointer[artifact.Sidecar]) { siteIndexes.Delete(key) }, key)
	}
	return index
}

// siteIndex is the index of so many sites.
type siteIndex struct {
	sites int
	byKey map[string]artifact.Site
	own   map[string]int // their numbers, without what the runtime has besides
}

// siteIndexes are those of sidecars that are in use, by weak pointers.
var siteIndexes sync.Map

func indexSites(side *artifact.Sidecar) map[string]artifact.Site {
	out := make(map[string]artifact.Site, len(side.Sites))
	minor := orcruntime.MinorGuards()
	for _, s := range side.Sites {
		out[s.Key] = s
		for _, m := range minor {
			more := s
			more.Key, more.Kind = s.Key+m.Suffix, m.Text
			out[more.Key] = more
		}
		key := s.Key + spinSuffix
		s.Key, s.Kind = key, "busy loop"
		out[key] = s
	}
	return out
}

// IsDelay reports whether a choice of the environment, by the key of its site, is how late a
// goroutine sets a deadline or reads the clock.
func IsDelay(key string) bool { return orcruntime.IsDelay(key) }

// describe is one step in words: where and what.
func describe(sites map[string]artifact.Site, s artifact.PlanStep) string {
	if s.G == timeStep {
		return "time passes"
	}
	site, ok := sites[s.Site]
	if !ok {
		return ""
	}
	return explain.OneLine(fmt.Sprintf("%s:%d: %s", site.File, site.Line, action(site)))
}

// action is what passing a site does, in the words of the source.
func action(site artifact.Site) string {
	switch site.Kind {
	case "start":
		return "start of the goroutine"
	case "end":
		return "return"
	}
	if text := orcruntime.MinorText(site.Key); text != "" {
		return text + ": " + site.Text
	}
	return site.Text
}

// doc is the comment of a generated test.
func doc(target Target, side *artifact.Sidecar, plan artifact.Plan, meta Meta) []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	where := ""
	if meta.File != "" {
		where = fmt.Sprintf(" at %s:%d", meta.File, meta.Line)
	}
	add("%s makes %s of %s go through one interleaving", meta.TestName(), target.Entry.Func, target.Entry.Package)
	add("and fails if it ends in: %s%s.", meta.Kind, where)
	if meta.Message != "" {
		add("")
		add("%s", meta.Message)
	}
	if meta.Formula != "" {
		add("")
		add("It is counterexample %d of query %d:", meta.Trace, meta.Query)
		add("")
		out = append(out, "\t"+meta.Formula)
	}
	if meta.Reproduce != "" {
		add("")
		add("Run it again with:")
		add("")
		out = append(out, "\t"+meta.Reproduce)
	}
	add("")
	add("The interleaving, a column for each goroutine:")
	add("")
	for _, line := range tableOf(side, plan) {
		out = append(out, "\t"+line)
	}
	if len(plan.Expect.Goroutines) > 0 {
		add("")
		add("and then:")
		add("")
		sites := SitesByKey(side)
		for _, at := range plan.Expect.Goroutines {
			s := sites[at.Site]
			out = append(out, fmt.Sprintf("\t%s: goroutine %s at %s:%d: %s", plan.Expect.Kind, at.G, s.File, s.Line, action(s)))
		}
	}
	for i := range out {
		out[i] = explain.OneLine(out[i])
	}
	return out
}

// tableOf is Table, of a long plan a short one.
func tableOf(side *artifact.Sidecar, plan artifact.Plan) []string {
	if len(plan.Steps) < repeat.Long {
		return Table(side, plan)
	}
	return explain.ShortTable(artifact.Finding{Interleaving: Interleaving(side, plan, Stuck(plan))})
}

// Table is the interleaving of a plan as text: a line for each step, a column for each
// goroutine.
func Table(side *artifact.Sidecar, plan artifact.Plan) []string {
	return explain.Table(artifact.Finding{Interleaving: Interleaving(side, plan, Stuck(plan))})
}
