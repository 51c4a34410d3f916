package pass

import (
	"context"
	"errors"
	"runtime/debug"
	"slices"
	"time"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/group"
	"github.com/vtrace/vtrace/internal/parse"
	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/translate"
)

// Check runs the three passes. The result is that of First, Second and Deep;
// the program is loaded and translated once. It begins again where runs have shown what the
// model lacks, or a data race: see Model.Completions and Model.Races.
func Check(ctx context.Context, spec source.Spec, opts Options) (*artifact.Bundle, error) {
	if err := usable(ctx, spec); err != nil {
		return nil, err
	}
	return checkWith(ctx, load, spec, opts)
}

// CheckEntry does the same with an entry point of packages that are loaded.
func CheckEntry(ctx context.Context, set *source.Set, entry source.EntryPoint, opts Options) (*artifact.Bundle, error) {
	if set == nil {
		return nil, &ArgumentError{Name: "set", Reason: "nil"}
	}
	if err := usable(ctx, set.Spec()); err != nil {
		return nil, err
	}
	return checkWith(ctx, ofSet(set, entry), set.Spec(), opts)
}

// ofSet loads the program of an entry point.
func ofSet(set *source.Set, entry source.EntryPoint) func(context.Context, source.Spec) (*program, error) {
	return func(context.Context, source.Spec) (*program, error) {
		src, err := set.Program(entry)
		if err != nil {
			return nil, err
		}
		return &program{source: src, sites: parse.Index(src)}, nil
	}
}

// caught makes an InternalError of a panic: the defect of one check is not to end
// others.
func caught(err *error) {
	if r := recover(); r != nil {
		*err = &InternalError{Reason: r, Stack: debug.Stack()}
	}
}

func checkWith(ctx context.Context, load loader, spec source.Spec, opts Options) (_ *artifact.Bundle, err error) {
	defer caught(&err)
	defer group.Ready()()
	called := time.Now()
	rep := reporter{artifact.PassFirst, opts.Progress}
	p, opts, err := opts.loadFirst(ctx, load, spec, rep)
	if err != nil {
		return nil, err
	}
	opts.shared = newShared(opts.Builds)
	defer func() { err = errors.Join(err, opts.shared.close()) }()
	check := func() (_ *artifact.Bundle, err error) {
		p.compileLibraries(ctx, opts, rep)
		opts, close, err := opts.sandboxed(ctx, spec.Env)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, close()) }()
		begun := time.Now()
		if opts.inScope && opts.Budget > 0 { // its program is loaded within the budget of the check that it is a part of
			opts.Budget = max(opts.Budget-begun.Sub(called), time.Millisecond)
		}
		// Each round has a program of its own, with the files that are loaded.
		again := func(context.Context, source.Spec) (*program, error) {
			next := *p
			next.sites = parse.Index(p.source)
			return &next, nil
		}
		b, err := p.checkWithScopes(ctx, opts, rep, func(opts Options) (*artifact.Bundle, error) {
			return checkAnew(ctx, again, source.Spec{Env: spec.Env}, opts)
		})
		if err != nil {
			return nil, err
		}
		return p.contradicted(ctx, b, begun, opts, rep)
	}
	if opts.Results == nil || opts.Engine != nil {
		return check()
	}
	return p.checkUnlessUnchanged(ctx, opts, rep, check)
}

func checkAnew(ctx context.Context, load loader, spec source.Spec, opts Options) (*artifact.Bundle, error) {
	return checkRaces(ctx, opts, func(opts Options) (*artifact.Bundle, error) {
		return checkCompleted(opts, func(opts Options) (*artifact.Bundle, error) {
			return checkRound(ctx, load, spec, opts)
		})
	})
}

func checkRound(ctx context.Context, load loader, spec source.Spec, opts Options) (*artifact.Bundle, error) {
	opts, stop := opts.bounded(ctx)
	defer stop()
	opts, stopModel := opts.withEngines()
	defer stopModel()
	var other *schedules
	opts.loaded = func(p *program, opts Options) func(context.Context) bool {
		other = opts.beside(ctx, p)
		return other.provedByFew
	}
	defer func() {
		if other != nil {
			other.stop()
		}
	}()
	b, s, err := first(ctx, load, spec, opts)
	if err != nil {
		return nil, err
	}
	s.schedules = other
	if opts.Root == "" {
		opts.Root = s.program.source.Root
	}
	// As the first pass recorded it: with flags that are the caller's.
	opts.Model, opts.Flags = nil, s.program.source.Spec.Flags
	if b, err = second(ctx, b, s, opts); err != nil {
		return nil, err
	}
	return deepen(ctx, b, s, opts)
}

// reload returns the program of a bundle: the one that is loaded, as long as
// its files are still the same.
func (s *started) reload(ctx context.Context, b *artifact.Bundle, opts Options) (*program, error) {
	if s != nil && sameFiles(b, s.program.source.Root, s.program.source.ReadFile) && sameDependencies(b, s.program.source) == nil {
		return s.program, nil
	}
	return reload(ctx, b, opts)
}

// proto makes the Proto model of a program, of its Source model if that is at
// hand, else with the bounds that it has.
func (s *started) proto(ctx context.Context, p *program, first *artifact.Bundle, opts Options) (*translate.Model, error) {
	if outside := first.Sidecar().Outside(); outside != nil {
		// What was refused or cut once has no model in later passes either.
		return p.withoutModel(slices.DeleteFunc(first.Sidecar().Approximations, func(a artifact.Approximation) bool { return a.Kind != outside.Kind })), nil
	}
	if s == nil || s.program != p || s.model == nil || opts.Disallow == DisallowFNV {
		return p.translate(ctx, opts, true, first.Sidecar().Bounds)
	}
	s.model.Reveal()
	return s.model, nil
}
