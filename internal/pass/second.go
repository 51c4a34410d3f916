package pass

import (
	"context"
	"errors"
	"fmt"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/parse"
)

// Second instruments the program of a first pass and makes the Proto model, in
// which every guard of the instrumented program is visible. It asks only the
// queries of the categories that failed in the first pass, or are undecided there.
//
// The bundle has the overlay, and in place of the first pass's model, queries,
// verdicts, traces and findings those of the Proto model.
func Second(ctx context.Context, first *artifact.Bundle, opts Options) (*artifact.Bundle, error) {
	return second(ctx, first, nil, opts)
}

// second takes the program and its model from an earlier pass, if it is given
// and they can be used.
func second(ctx context.Context, first *artifact.Bundle, earlier *started, opts Options) (_ *artifact.Bundle, err error) {
	defer caught(&err)
	if err := present(ctx, first); err != nil {
		return nil, err
	}
	if err := expect(first, artifact.PassFirst); err != nil {
		return nil, err
	}
	if opts, err = opts.inherit(first); err != nil {
		return nil, err
	}
	rep := reporter{artifact.PassSecond, opts.Progress}
	p, err := opts.loading(ctx, rep, func(ctx context.Context) (*program, error) { return earlier.reload(ctx, first, opts) })
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	opts, stop := opts.bounded(ctx)
	defer stop()
	manifest, err := p.manifest(artifact.PassSecond, opts)
	if err != nil {
		return nil, err
	}
	manifest.Changed = first.Manifest().Changed
	b := artifact.Extend(first, manifest)
	if kept, err := opts.kept(b); kept != nil || err != nil {
		return kept, err
	}
	b.Remove("traces")

	done := rep.stage("translate")
	model, err := earlier.proto(ctx, p, first, opts)
	done()
	if err != nil {
		return nil, err
	}
	model.Queries = failing(first, model.Queries)
	unreached(&model.Sidecar, first.Verdicts())

	done = rep.stage("instrument")
	overlay, err := parse.Instrument(ctx, p.source, p.sites, parse.Options{Accesses: model.Sidecar.Accesses, EveryLine: opts.Model.EveryLine, Races: opts.Model.Races})
	done()
	if err != nil {
		return nil, fmt.Errorf("instrument: %w", err)
	}
	putOverlay(b, overlay, &model.Sidecar)
	if err := put(b, model); err != nil {
		return nil, err
	}

	found, err := search(ctx, secondShare, model.Network, model.Queries, &model.Sidecar, opts, rep, nil)
	if err != nil {
		return nil, err
	}
	contradictions(first, model.Queries, found)
	record(b, model.Queries, &model.Sidecar, found)
	made, err := b.Bundle()
	if err != nil {
		return nil, err
	}
	return made, opts.keep(ctx, made)
}

// contradictions takes back the answers that are not those of the first pass: the two
// searches are of one model, so that one of them is wrong, and nobody can tell which.
func contradictions(first *artifact.Bundle, queries []artifact.Query, found *searched) {
	asked := map[int]string{}
	for _, q := range first.Queries() {
		asked[q.Number] = q.Formula
	}
	answers := map[int]string{}
	for _, v := range first.Verdicts() {
		answers[v.Query] = v.Result
	}
	decided := func(r string) bool { return r == check.True.String() || r == check.False.String() }
	for i := range found.verdicts {
		v, before := &found.verdicts[i], answers[queries[i].Number]
		if before == v.Result || !decided(before) || !decided(v.Result) || asked[queries[i].Number] != queries[i].Formula {
			continue
		}
		v.Reason = fmt.Sprintf("internal error, please report it: the passes contradict each other, the search of the first answers %s, that of the second %s", before, v.Result)
		v.Result, found.traces[i] = check.Error.String(), nil
	}
}
