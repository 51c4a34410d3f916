package pass

import (
	"context"
	"fmt"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/translate"
)

// First loads the program that spec names, translates it into the Source model
// and decides every query. A query that is not satisfied becomes a possible
// finding, with its trace.
//
// The bundle holds the program, the model, the queries, the sidecar, the
// verdicts, the traces and the findings. Options.Root is not used.
func First(ctx context.Context, spec source.Spec, opts Options) (_ *artifact.Bundle, err error) {
	defer caught(&err)
	if err := usable(ctx, spec); err != nil {
		return nil, err
	}
	b, _, err := first(ctx, load, spec, opts)
	return b, err
}

// first also returns the program and its model.
func first(ctx context.Context, load loader, spec source.Spec, opts Options) (*artifact.Bundle, *started, error) {
	rep := reporter{artifact.PassFirst, opts.Progress}
	p, opts, err := opts.loadFirst(ctx, load, spec, rep)
	if err != nil {
		return nil, nil, err
	}
	opts, stop := opts.bounded(ctx)
	defer stop()
	s, err := begin(ctx, p, opts, rep)
	if err != nil {
		return nil, nil, err
	}
	if s.kept != nil {
		return s.kept, s, nil
	}
	found, err := s.search(ctx, opts, rep)
	if err != nil {
		return nil, nil, err
	}
	record(s.out, s.model.Queries, &s.model.Sidecar, found)
	b, err := s.out.Bundle()
	if err != nil {
		return nil, nil, err
	}
	return b, s, opts.keep(ctx, b)
}

// search decides the queries of the model, unless that is done.
func (s *started) search(ctx context.Context, opts Options, rep reporter) (*searched, error) {
	if s.found != nil {
		return s.found.results(s.model.Queries, rep)
	}
	return search(ctx, firstShare, s.model.Network, s.model.Queries, &s.model.Sidecar, opts, rep, nil)
}

// Translate does what First does before the search: the bundle has the model
// and its queries, without verdicts.
func Translate(ctx context.Context, spec source.Spec, opts Options) (_ *artifact.Bundle, err error) {
	defer caught(&err)
	if err := usable(ctx, spec); err != nil {
		return nil, err
	}
	return translated(ctx, load, spec, opts)
}

// translated makes the bundle of Translate.
func translated(ctx context.Context, load loader, spec source.Spec, opts Options) (*artifact.Bundle, error) {
	rep := reporter{artifact.PassTranslate, opts.Progress}
	opts.portable = opts.Portable
	if opts.Dump != nil {
		stage, err := translate.ParseStage(opts.DumpStage)
		if err != nil {
			return nil, err
		}
		opts.dump = &translate.Dump{Stage: stage}
	}
	p, opts, err := opts.loadFirst(ctx, load, spec, rep)
	if err != nil {
		return nil, err
	}
	opts, stop := opts.bounded(ctx)
	defer stop()
	s, err := begin(ctx, p, opts, rep)
	if opts.dump != nil {
		if _, failed := opts.dump.Text.WriteTo(opts.Dump); failed != nil && err == nil {
			err = fmt.Errorf("write the %s: %w", opts.dump.Stage, failed)
		}
	}
	if err != nil {
		return nil, err
	}
	return s.out.Bundle()
}
