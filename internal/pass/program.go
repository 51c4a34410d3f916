package pass

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/parse"
	"github.com/vtrace/vtrace/internal/scratch"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/translate"
	"github.com/vtrace/vtrace/internal/uppaal"
)

// program is the program under check, loaded and numbered.
type program struct {
	source *source.Program
	sites  *sites.Index
	dir    string // scratch copy, "" if the program's own directory is used

	prepared *translate.Prepared // nil until the first translation
	// prepareWith, if not nil, prepares it in place of translate.Prepare: tests plant
	// defects of the translator so.
	prepareWith func(completions ...artifact.Completion) (*translate.Prepared, error)
	// completions are those that it was prepared with.
	completions []artifact.Completion
}

// load loads the program that spec names.
func load(ctx context.Context, spec source.Spec) (*program, error) {
	src, err := source.Load(ctx, spec)
	if err != nil {
		return nil, err
	}
	return &program{source: src, sites: parse.Index(src)}, nil
}

// reload loads the program of a bundle: from opts.Root if it holds the same
// files, else from the copy in the bundle. The caller must call close.
func reload(ctx context.Context, b *artifact.Bundle, opts Options) (*program, error) {
	entry, err := entryOf(b)
	if err != nil {
		return nil, err
	}
	spec := source.Spec{Pattern: entry.Package, ImportPath: true, Entry: entry.Func, Flags: opts.Model.Flags, Deps: opts.Model.Deps}
	if opts.Root != "" && sameFiles(b, opts.Root, os.ReadFile) {
		spec.Dir = opts.Root
		p, err := load(ctx, spec)
		if err == nil {
			err = sameDependencies(b, p.source)
		}
		return p, err
	}
	if err := checkModules(b); err != nil {
		return nil, err
	}
	spec = copySpec(spec)
	temp, err := scratch.Make("program")
	if err != nil {
		return nil, fmt.Errorf("scratch directory: %w", err)
	}
	p, err := loadCopy(ctx, b, temp, spec)
	if err != nil {
		return nil, errors.Join(err, scratch.Remove(temp))
	}
	p.dir = temp
	return p, nil
}

// loadCopy loads the copy of a bundle's program, which it writes below a scratch directory,
// with the modules of the bundle, if it has any.
func loadCopy(ctx context.Context, b *artifact.Bundle, temp string, spec source.Spec) (*program, error) {
	spec.Dir = filepath.Join(temp, programDir)
	err := b.ExtractSource(spec.Dir)
	if err != nil {
		return nil, err
	}
	if spec.GoEnv, err = extractModules(ctx, b, temp, spec); err != nil {
		return nil, err
	}
	p, err := load(ctx, spec)
	if err == nil {
		err = sameDependencies(b, p.source)
	}
	if err == nil && hasModules(b) {
		err = complete(ctx, spec)
	}
	if err != nil {
		return nil, fmt.Errorf("program of the bundle: %w", modulesMissing(b, toolchain(b, err)))
	}
	return p, nil
}

func (p *program) close() error {
	if p.dir == "" {
		return nil
	}
	return scratch.Remove(p.dir)
}

// sameDependencies checks that the dependencies which are instrumented have the
// files that the bundle was made from.
func sameDependencies(b *artifact.Bundle, prog *source.Program) error {
	if len(prog.Dependencies) == 0 {
		return nil
	}
	files, err := prog.Files()
	if err != nil {
		return err
	}
	want := maps.Collect(b.Below(artifact.SourceDir))
	for _, f := range files {
		if source.OfDependency(f.Path) && !bytes.Equal(f.Data, want[f.Path]) {
			return fmt.Errorf("%s: the dependency is not the one that the bundle was made with", f.Path)
		}
	}
	return nil
}

// HoldsFiles reports whether the files of the program of a bundle are below a directory, as they are in the bundle: the
// directory can be its Options.Root then. It is false for a nil bundle, and for one without its program.
func HoldsFiles(b *artifact.Bundle, dir string) bool {
	return b != nil && sameFiles(b, dir, os.ReadFile)
}

// sameFiles reports whether the files below root, as read reads them, are those of the bundle.
func sameFiles(b *artifact.Bundle, root string, read func(string) ([]byte, error)) bool {
	if b.Manifest().Source == "" {
		return false // nothing is like anything
	}
	for path, want := range b.Below(artifact.SourceDir) {
		if source.OfDependency(path) {
			continue
		}
		got, err := read(filepath.Join(root, filepath.FromSlash(path)))
		if err != nil || !bytes.Equal(got, want) {
			return false
		}
	}
	return true
}

// entry names the entry point by the package that the go command knows.
func (p *program) entry() artifact.Entry {
	path := p.source.Entry.PkgPath
	if p.source.Entry.ForTest != "" {
		path = p.source.Entry.ForTest
	}
	return artifact.Entry{Package: path, Func: p.source.Func.Name()}
}

// target is what is built and run of the program.
func (p *program) target(side *artifact.Sidecar, opts Options) orchestrate.Target {
	t := orchestrate.TargetOf(p.source, side)
	t.Sandbox = opts.sandbox
	if opts.Model != nil {
		t.Args = opts.Model.Args
	}
	return t
}

func (p *program) manifest(pass string, opts Options) (artifact.Manifest, error) {
	raw, err := opts.record(pass)
	if err != nil {
		return artifact.Manifest{}, fmt.Errorf("options: %w", err)
	}
	return artifact.Manifest{Pass: pass, Tool: Version(), Go: runtime.Version(), Entry: p.entry(), Options: raw}, nil
}

// translate makes the model of the program, with given bounds where those asked for
// are too large for it, nil if these are not known.
func (p *program) translate(ctx context.Context, opts Options, proto bool, at *artifact.Bounds) (*translate.Model, error) {
	part, cancel := opts.forModel(ctx, translateShare)
	defer cancel()
	m, err := p.translateWithin(part, opts, proto, at, 0)
	if err != nil && !opts.Model.Strict {
		if why := cut(ctx, part); why != "" {
			at := p.position()
			return p.withoutModel([]artifact.Approximation{noModel(at, "its translation was cut: "+why)}), nil
		}
		if m := p.outside(err); m != nil {
			return m, nil
		}
		// A defect of the translator is none of the program, which can still be run.
		var internal *translate.InternalError
		if errors.As(err, &internal) {
			return p.withoutModel([]artifact.Approximation{noModel(p.position(), internal.Error())}), nil
		}
	}
	return m, err
}

// prepare does what is the same for all models of the program with the same completions.
func (p *program) prepare(ctx context.Context, opts Options) (*translate.Prepared, error) {
	if p.prepared == nil || !slices.Equal(p.completions, opts.Model.Completions) {
		with := p.prepareWith
		if with == nil {
			with = func(c ...artifact.Completion) (*translate.Prepared, error) {
				return translate.Prepare(ctx, p.source, p.sites, c...)
			}
		}
		prepared, err := with(opts.Model.Completions...)
		if err != nil {
			return nil, fmt.Errorf("translate: %w", err)
		}
		p.prepared, p.completions = prepared, opts.Model.Completions
	}
	return p.prepared, nil
}

// translateWithin gives up at a cost, if it is not 0.
func (p *program) translateWithin(ctx context.Context, opts Options, proto bool, at *artifact.Bounds, cost int) (*translate.Model, error) {
	prepared, err := p.prepare(ctx, opts)
	if err != nil {
		return nil, err
	}
	how := p.translation(opts, proto)
	how.At, how.Cost = at, cost
	m, err := prepared.Translate(ctx, how)
	if err != nil {
		return nil, fmt.Errorf("translate: %w", err)
	}
	return m, nil
}

// translation are the options for models of the program.
func (p *program) translation(opts Options, proto bool) translate.Options {
	categories := opts.Model.Categories
	if len(categories) > 0 {
		// Without these, "nothing found" would not tell of bounds.
		categories = append(slices.Clone(categories), translate.CategoryBound)
	}
	return translate.Options{
		Categories: categories,
		Proto:      proto,
		Hash:       proto && opts.Disallow == DisallowFNV,
		Bounds:     opts.Model.Bounds,
		Strict:     opts.Model.Strict,
		Continue:   opts.Model.Continue,
		Portable:   opts.portable,
		Dump:       opts.dump,
	}
}

// put writes a model with its queries and sidecar into a bundle.
func put(b *artifact.Builder, m *translate.Model) error {
	m.Network.Queries = nil
	for _, q := range m.Queries {
		formula := m.Formula(q)
		formula.Comment = comment(q)
		m.Network.Queries = append(m.Network.Queries, formula)
	}
	var xml bytes.Buffer
	if err := uppaal.WriteXML(&xml, m.Network); err != nil {
		return fmt.Errorf("write model: %w", err)
	}
	b.SetModel(xml.Bytes())
	b.SetQueries(m.Queries)
	b.SetSidecar(&m.Sidecar)
	return nil
}

// comment tells in the model what a query is about.
func comment(q artifact.Query) string {
	var c strings.Builder
	fmt.Fprintf(&c, "description: %s\n", q.Description)
	if q.File != "" {
		fmt.Fprintf(&c, "location: %s:%d:%d\n", q.File, q.Line, q.Col)
	}
	fmt.Fprintf(&c, "category: %s\nnumber: %d", q.Category, q.Number)
	return c.String()
}

// searched is a search of some queries of a model, with the traces found.
type searched struct {
	verdicts []artifact.Verdict // by query, without Traces
	traces   []*artifact.Trace  // by query, nil if none
}

// search decides the queries, which belong to the network, until a share of the budget
// is spent.
func search(ctx context.Context, share float64, net *uppaal.Network, queries []artifact.Query, side *artifact.Sidecar, opts Options, rep reporter, refuted [][]check.Label) (*searched, error) {
	defer rep.stage("search")()
	limits := opts.search()
	if len(refuted) > 0 {
		limits.Refuted, limits.LabelOf = refuted, orchestrate.NewLabels(side, net).Of
	}
	part, cancel := opts.forModel(ctx, share)
	defer cancel()
	if why := cut(ctx, part); why != "" {
		// A large network takes seconds until its search can begin.
		return unsearched(queries, why, rep), nil
	}
	a, err := verify(ctx, part, net, queries, opts.engine(), limits, rep)
	if err != nil {
		return nil, err
	}
	return a.results(queries, rep)
}

// unsearched are the answers when there is no time for a search.
func unsearched(queries []artifact.Query, why string, rep reporter) *searched {
	out := &searched{traces: make([]*artifact.Trace, len(queries))}
	for _, q := range queries {
		v := artifact.Verdict{Query: q.Number, Result: check.Maybe.String(), Reason: "cancelled: " + why}
		out.verdicts = append(out.verdicts, v)
		rep.send(QueryDecided{Pass: rep.pass, Query: q, Verdict: v})
	}
	return out
}

// verify asks an engine. When part ends the answers are those that are known; when ctx
// does there are none.
func verify(ctx, part context.Context, net *uppaal.Network, queries []artifact.Query, engine check.Engine, limits check.Options, rep reporter) (*answered, error) {
	parsed := make([]*uppaal.Query, len(queries))
	for i, q := range queries {
		p, err := uppaal.ParseQuery(q.Formula)
		if err != nil {
			return nil, fmt.Errorf("query %d: %w", q.Number, err)
		}
		if p.Op.Measures() {
			return nil, fmt.Errorf("query %d: it asks for values, and not whether there is an error", q.Number)
		}
		parsed[i] = p
	}
	if rep.to != nil {
		limits.Progress = func(s check.Stats) { rep.send(SearchProgress{Pass: rep.pass, Stats: s}) }
	}
	report, err := engine.Verify(part, net, parsed, limits)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if report == nil || len(report.Results) != len(parsed) {
		return nil, &InternalError{Reason: "the engine has not answered each query"}
	}
	return &answered{net: net, report: report}, nil
}

// results are the answers to the queries of a search.
func (a *answered) results(queries []artifact.Query, rep reporter) (*searched, error) {
	var info *uppaal.Info
	if slices.ContainsFunc(a.report.Results, func(r check.Result) bool { return r.Trace != nil }) {
		var err error
		if info, err = uppaal.Check(a.net); err != nil {
			return nil, fmt.Errorf("model: %w", err)
		}
	}
	bounded := false
	for i, r := range a.report.Results {
		bounded = bounded || queries[i].Kind == artifact.KindBound && r.Verdict != check.True
	}
	out := &searched{traces: make([]*artifact.Trace, len(queries))}
	for i, r := range a.report.Results {
		if queries[i].Kind == artifact.KindNeverReached && r.Verdict == check.False && bounded {
			r = check.Result{Verdict: check.Maybe, Reason: "the model ends at bounds that may be reached, and the statement may be reached behind them"}
		}
		v := artifact.Verdict{Query: queries[i].Number, Result: r.Verdict.String(), Reason: r.Reason}
		if r.Trace != nil && r.Verdict == check.False {
			out.traces[i] = orchestrate.TraceOf(info, queries[i], r)
		}
		out.verdicts = append(out.verdicts, v)
		rep.send(QueryDecided{Pass: rep.pass, Query: queries[i], Verdict: v})
	}
	return out, nil
}
