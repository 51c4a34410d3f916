package pass

import (
	"context"
	"errors"

	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/source"
)

// shared is what the rounds of a check, and both engines in them, need alike: they are about one
// program. Whoever has none makes its own.
type shared struct {
	vendoring vendoring
	settings  settings
	forms     forms
	builds    *Builds
	own       bool           // nobody else has builds
	taken     []*sharedBuild // of builds
}

// newShared is what the parts of a check share; builds are those that it shares with others, nil for
// none.
func newShared(builds *Builds) *shared {
	s := &shared{builds: builds, own: builds == nil}
	if s.own {
		s.builds = &Builds{}
	}
	s.settings.using, s.forms = make(chan struct{}, 1), forms{make(chan struct{}, 1), map[form]*formed{}}
	return s
}

// close gives back what others may use, and removes what is the check's own. None of its parts may use
// it any more.
func (s *shared) close() error {
	err := s.builds.giveBack(s.taken)
	if s.own {
		err = errors.Join(err, s.builds.Close())
	}
	return err
}

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

// forms are the program of a check, instrumented to be built once.
type forms struct {
	using chan struct{}
	has   map[form]*formed
}

// guardable builds the program so that it can be explored, or takes that of the check. Its guards
// are the caller's own. The caller must close it.
func (p *program) guardable(ctx context.Context, opts Options, rep reporter) (*guardable, error) {
	if opts.shared == nil {
		return p.buildGuardable(ctx, opts, rep)
	}
	b, overlay, err := p.runnable(ctx, sharedForm, orchestrate.SharedRun{}, opts, rep)
	if errors.As(err, new(*orchestrate.BuildError)) {
		b, overlay, err = p.runnable(ctx, ownForm, orchestrate.SharedRun{}, opts, rep)
	}
	if err != nil {
		return nil, err
	}
	return &guardable{Binary: b, side: p.sidecar(), awaits: p.awaits(), diagnostics: overlay.Diagnostics}, nil
}
