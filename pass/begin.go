package pass

import (
	"context"
	"fmt"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/source"
	"github.com/vtrace/vtrace/translate"
)

// withFlags returns m with the build flags.
func withFlags(m *Model, flags []string) *Model {
	c := *m
	c.Flags = flags
	return &c
}

// begin loads and translates a program and puts both into a new bundle.
func begin(ctx context.Context, spec source.Spec, opts Options, rep reporter, pass string) (*artifact.Builder, *translate.Model, error) {
	done := rep.stage("load")
	p, err := load(ctx, spec)
	done()
	if err != nil {
		return nil, nil, err
	}
	m, err := p.manifest(pass, opts)
	if err != nil {
		return nil, nil, err
	}
	b := artifact.New(m)
	files, err := p.source.Files()
	if err != nil {
		return nil, nil, err
	}
	for _, f := range files {
		b.AddSource(f.Path, f.Data)
	}
	done = rep.stage("translate")
	model, err := p.translate(ctx, opts, opts.Model.FromProto, opts.Model.Categories)
	done()
	if err != nil {
		return nil, nil, err
	}
	return b, model, put(b, model)
}

// record adds verdicts, traces and possible findings of a search to a bundle.
func record(b *artifact.Builder, model *translate.Model, found *searched) {
	for i, tr := range found.traces {
		if tr != nil {
			v := &found.verdicts[i]
			v.Traces = append(v.Traces, b.AddTrace(v.Query, 1, tr))
		}
	}
	b.SetVerdicts(found.verdicts)
	b.SetFindings(findings(model.Queries, found.verdicts, &model.Sidecar))
}

// failing returns the categories of the queries that are not satisfied.
func failing(b *artifact.Bundle) []string {
	categories := map[int]string{}
	for _, q := range b.Queries() {
		categories[q.Number] = q.Category
	}
	seen := map[string]bool{}
	out := []string{}
	for _, v := range b.Verdicts() {
		if c := categories[v.Query]; v.Result != "T" && !seen[c] {
			seen[c] = true
			out = append(out, c)
		}
	}
	return out
}

// expect checks that a bundle comes from the pass that must come before.
func expect(b *artifact.Bundle, passes ...string) error {
	got := b.Manifest().Pass
	for _, p := range passes {
		if got == p {
			return nil
		}
	}
	return fmt.Errorf("bundle of the %s pass: this pass starts from one of the %s pass", got, passes[0])
}
