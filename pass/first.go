package pass

import (
	"context"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/source"
)

// First loads the program that spec names, translates it into the Source model
// and decides every query. A query that is not satisfied becomes a possible
// finding, with its trace.
//
// The bundle holds the program, the model, the queries, the sidecar, the
// verdicts, the traces and the findings. Options.Root is not used.
func First(ctx context.Context, spec source.Spec, opts Options) (*artifact.Bundle, error) {
	if opts.Model == nil {
		opts.Model = &Model{}
	}
	spec.Flags = append(append([]string(nil), opts.Model.Flags...), spec.Flags...)
	opts.Model = withFlags(opts.Model, spec.Flags)
	rep := reporter{artifact.PassFirst, opts.Progress}
	b, model, err := begin(ctx, spec, opts, rep, artifact.PassFirst)
	if err != nil {
		return nil, err
	}
	found, err := search(ctx, model.Network, model.Queries, &model.Sidecar, opts, rep, nil)
	if err != nil {
		return nil, err
	}
	record(b, model, found)
	return b.Bundle()
}

// Translate does what First does before the search: the bundle has the model
// and its queries, without verdicts.
func Translate(ctx context.Context, spec source.Spec, opts Options) (*artifact.Bundle, error) {
	if opts.Model == nil {
		opts.Model = &Model{}
	}
	spec.Flags = append(append([]string(nil), opts.Model.Flags...), spec.Flags...)
	opts.Model = withFlags(opts.Model, spec.Flags)
	b, _, err := begin(ctx, spec, opts, reporter{artifact.PassTranslate, opts.Progress}, artifact.PassTranslate)
	if err != nil {
		return nil, err
	}
	return b.Bundle()
}
