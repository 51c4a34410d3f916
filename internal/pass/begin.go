package pass

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/translate"
)

// started is a new bundle with a program and its model.
type started struct {
	program *program
	model   *translate.Model
	found   *answered // nil if the model is still to be searched
	out     *artifact.Builder
	// kept is the bundle of an earlier check that was not finished; there is no model
	// then.
	kept *artifact.Bundle
	// schedules are those that the program is run under beside; nil if it is not.
	schedules *schedules
}

// loader loads the program that a spec names.
type loader func(ctx context.Context, spec source.Spec) (*program, error)

// loadFirst loads the program of a first pass, and returns the options for it, which are filled
// in and have the flags of the program.
func (o Options) loadFirst(ctx context.Context, load loader, spec source.Spec, rep reporter) (*program, Options, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, o, err
	}
	m := o.ownModel()
	for _, c := range m.Categories {
		if all := translate.Categories(); !slices.Contains(all, c) {
			return nil, o, &OptionError{Option: "categories", Reason: fmt.Sprintf("no query category %q: the categories are %s", c, strings.Join(all, ", "))}
		}
	}
	spec = loading(&m, spec, o.Flags)
	o.Model, o.Flags = &m, nil
	p, err := o.loading(ctx, rep, func(ctx context.Context) (*program, error) { return load(ctx, spec) })
	if err != nil {
		return nil, o, err
	}
	m.Flags = p.source.Spec.Flags // without those that loading has taken in
	return p, o, nil
}

// bundle begins the bundle of a pass that starts from the program: it has its files, which are returned too.
func (p *program) bundle(pass string, opts Options) (*artifact.Builder, []source.File, error) {
	manifest, err := p.manifest(pass, opts)
	if err != nil {
		return nil, nil, err
	}
	files, err := p.source.Files()
	if err != nil {
		return nil, nil, err
	}
	b := artifact.New(manifest)
	for _, f := range files {
		b.AddSource(f.Path, f.Data)
	}
	return b, files, nil
}

// begin translates a program that loadFirst has loaded, and puts both into a new bundle.
func begin(ctx context.Context, p *program, opts Options, rep reporter) (*started, error) {
	if opts.loaded != nil {
		opts.proved = opts.loaded(p, opts)
	}
	b, files, err := p.bundle(rep.pass, opts)
	if err != nil {
		return nil, err
	}
	if opts.VendorDeps {
		done := rep.stage("modules")
		err := p.vendor(ctx, b, files, opts.shared)
		done()
		if err != nil {
			return nil, err
		}
	}
	if rep.pass == artifact.PassFirst {
		if kept, err := opts.kept(b); kept != nil || err != nil {
			return &started{program: p, kept: kept}, err
		}
	}
	model, found, err := p.fit(ctx, opts, opts.Model.FromProto, rep)
	if err != nil {
		return nil, err
	}
	return &started{program: p, model: model, found: found, out: b}, put(b, model)
}

// loading is what the program is loaded by, which the model records: the next pass loads it
// with the same flags.
func loading(m *Model, spec source.Spec, flags []string) source.Spec {
	m.Flags = canonicalFlags(slices.Concat(m.Flags, spec.Flags, flags))
	m.Deps = slices.Concat(m.Deps, spec.Deps)
	spec.Flags, spec.Deps = m.Flags, m.Deps
	return spec
}

// kept is the bundle in the cache that was made from the same as the one begun, nil if
// there is none.
func (o Options) kept(begun *artifact.Builder) (*artifact.Bundle, error) {
	if o.Cache == nil {
		return nil, nil
	}
	b, err := begun.Bundle()
	if err != nil {
		return nil, err
	}
	got, _, _ := o.Cache.Get(b.Manifest()) // one that is of no use is made anew
	if !sameModules(b, got) {
		return nil, nil
	}
	return got, nil
}

// keep puts a whole bundle into the cache.
func (o Options) keep(ctx context.Context, b *artifact.Bundle) error {
	if o.Cache == nil || cut(ctx, o.soft) != "" {
		return nil
	}
	return o.Cache.Put(b)
}

// record adds verdicts, traces and possible findings of a search to a bundle.
func record(b *artifact.Builder, queries []artifact.Query, side *artifact.Sidecar, found *searched) {
	for i, tr := range found.traces {
		if tr != nil {
			v := &found.verdicts[i]
			v.Traces = append(v.Traces, b.AddTrace(v.Query, 1, tr))
		}
	}
	unreached(side, found.verdicts)
	b.SetSidecar(side)
	b.SetVerdicts(found.verdicts)
	b.SetFindings(findings(queries, found.verdicts, side))
}

// failing returns the queries of the categories that have one that is not
// known to be satisfied in b.
func failing(b *artifact.Bundle, queries []artifact.Query) []artifact.Query {
	category := map[int]string{}
	for _, q := range b.Queries() {
		category[q.Number] = q.Category
	}
	failed := map[string]bool{}
	for _, v := range b.Verdicts() {
		if v.Result != check.True.String() {
			failed[category[v.Query]] = true
		}
	}
	out := []artifact.Query{}
	for _, q := range queries {
		if failed[q.Category] {
			out = append(out, q)
		}
	}
	return out
}
