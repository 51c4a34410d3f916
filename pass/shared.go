package pass

import (
	"context"

	"github.com/vtrace/vtrace/orchestrate"
	"github.com/vtrace/vtrace/source"
)

// shared is what the rounds of a check, and both engines in them, need alike: they are about one
// program. Whoever has none makes its own.
type shared struct {
	vendoring vendoring
	settings  settings
	guardable sharedBuild
}

func newShared() *shared {
	return &shared{settings: settings{using: make(chan struct{}, 1)}, guardable: sharedBuild{using: make(chan struct{}, 1)}}
}

// close removes what is in files. Nobody may use it any more.
func (s *shared) close() error { return s.guardable.close() }

// exclusive waits until nobody else uses something, or ctx ends. Its user takes an element out again.
func exclusive(ctx context.Context, using chan struct{}) error {
	select {
	case using <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// settings are those of the go command for a program.
type settings struct {
	using chan struct{}
	of    *source.Program
	has   goSettings
}

// goSettings asks the go command for its settings for a program that is built, once in a check.
func (p *program) goSettings(ctx context.Context, target orchestrate.Target, opts Options) (goSettings, error) {
	if opts.shared == nil {
		return goVariables(ctx, target.Dir, target.GoEnviron())
	}
	known := &opts.shared.settings
	if err := exclusive(ctx, known.using); err != nil {
		return goSettings{}, err
	}
	defer func() { <-known.using }()
	if known.of != p.source {
		has, err := goVariables(ctx, target.Dir, target.GoEnviron())
		if err != nil {
			return has, err
		}
		known.of, known.has = p.source, has
	}
	return known.has, nil
}

// sharedBuild is a program in which every statement may become a guard. The second engine and the deep
// pass want it, and to build it takes longer than most of what is done with it.
type sharedBuild struct {
	using chan struct{}
	of    *source.Program
	built *guardable
}

// guardable builds the program so that it can be explored, or takes that of the check. Its guards
// are the caller's own. The caller must close it.
func (p *program) guardable(ctx context.Context, opts Options, rep reporter) (*guardable, error) {
	if opts.shared == nil {
		return p.buildGuardable(ctx, opts, rep)
	}
	known := &opts.shared.guardable
	if err := exclusive(ctx, known.using); err != nil {
		return nil, err
	}
	defer func() { <-known.using }()
	switch {
	case known.built == nil:
		b, err := p.buildGuardable(ctx, opts, rep)
		if err != nil {
			return nil, err
		}
		known.of, known.built = p.source, b
	case known.of != p.source: // its files have changed
		return p.buildGuardable(ctx, opts, rep)
	}
	own, binary := *known.built, *known.built.Binary
	own.Binary, own.shared = &binary, true
	return &own, nil
}

func (s *sharedBuild) close() error {
	if s.built == nil {
		return nil
	}
	return s.built.Binary.Close()
}
