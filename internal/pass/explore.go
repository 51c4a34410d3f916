package pass

import (
	"context"
	"errors"
	"fmt"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/parse"
	"github.com/vtrace/vtrace/internal/scratch"
	"github.com/vtrace/vtrace/internal/source"
)

// Explore instruments a program and runs it many times under random schedules.
// There is no model but for the question which accesses to shared memory get
// guards; without an answer, only operations do.
//
// The seeds are seed and those after it.
func Explore(ctx context.Context, spec source.Spec, runs int, seed uint64, opts Options) (_ *Explored, err error) {
	defer caught(&err)
	if runs < 1 {
		return nil, &OptionError{Option: "runs", Reason: fmt.Sprintf("%d is less than 1", runs)}
	}
	p, opts, rep, close, err := loadToRun(ctx, spec, opts)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, close()) }()
	b, side, limits, err := p.buildToRun(ctx, opts, rep)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	out := &Explored{Sidecar: side, Limits: limits}
	defer rep.stage("explore")()
	how := orchestrate.ExploreOptions{Runs: runs, Seed: seed, Strategy: opts.Strategy, RunOptions: orchestrate.RunOptions{Timeout: opts.Watchdog}}
	if out.Exploration, err = b.Explore(ctx, how); err != nil {
		return nil, err
	}
	out.Findings = p.endFindings(ctx, opts, side, out.Ends)
	return out, nil
}

// buildToRun builds the instrumented program for runs without a model, with its sites, and
// what is not under control.
func (p *program) buildToRun(ctx context.Context, opts Options, rep reporter) (_ *orchestrate.Binary, side *artifact.Sidecar, limits []string, err error) {
	return p.buildToRunWith(ctx, opts, rep, nil)
}

// buildToRunWith is buildToRun with a change of the instrumented program.
func (p *program) buildToRunWith(ctx context.Context, opts Options, rep reporter, change func(*parse.Overlay, orchestrate.Target) error) (_ *orchestrate.Binary, side *artifact.Sidecar, limits []string, err error) {
	side = p.sidecar()
	accesses, err := p.accesses(ctx, opts, rep)
	switch {
	case ctx.Err() != nil:
		return nil, nil, nil, ctx.Err()
	case err != nil:
		limits = append(limits, fmt.Sprintf("accesses to shared memory have no guards: %v", err))
	}
	b, diagnostics, err := p.instrumentWith(ctx, opts, side, parse.Options{Accesses: accesses, EveryLine: opts.Model.EveryLine, Races: opts.Model.Races}, nil, rep, change)
	if err != nil {
		return nil, nil, nil, err
	}
	for _, d := range diagnostics {
		limits = append(limits, d.String())
	}
	return b, side, limits, nil
}

// loadToRun loads a program that is run without the passes, with the options
// filled in, the sandbox among them, and the reporter of its stages. A model without flags and
// dependencies has those of the program. The caller must call close.
func loadToRun(ctx context.Context, spec source.Spec, opts Options) (p *program, _ Options, rep reporter, close func() error, err error) {
	return loadToRunWith(ctx, load, spec, opts)
}

// loadToRunWith is loadToRun with a program of somewhere else.
func loadToRunWith(ctx context.Context, load func(context.Context, source.Spec) (*program, error), spec source.Spec, opts Options) (p *program, _ Options, rep reporter, close func() error, err error) {
	opts, close, err = opts.sandboxed(ctx, spec.Env)
	if err != nil {
		return nil, opts, rep, close, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, close())
		}
	}()
	if err := usable(ctx, spec); err != nil {
		return nil, opts, rep, close, err
	}
	if opts, err = opts.withDefaults(); err != nil {
		return nil, opts, rep, close, err
	}
	model := opts.ownModel()
	if model.Flags == nil && model.Deps == nil {
		model.Flags, model.Deps = spec.Flags, spec.Deps
	}
	opts.Model = &model
	rep = reporter{artifact.PassDeep, opts.Progress}
	p, err = opts.loading(ctx, rep, func(ctx context.Context) (*program, error) { return load(ctx, spec) })
	return p, opts, rep, close, err
}

// accesses are the accesses to shared memory that get guards, also of a program
// that the model does not cover.
func (p *program) accesses(ctx context.Context, opts Options, rep reporter) ([]int, error) {
	m, _, err := p.fit(ctx, opts, true, rep)
	if err != nil && ctx.Err() == nil && !opts.Model.Continue && !opts.Model.Strict {
		model := *opts.Model
		model.Continue = true
		opts.Model = &model
		m, _, err = p.fit(ctx, opts, true, rep)
	}
	if err != nil {
		return nil, err
	}
	if a := m.Sidecar.Outside(); a != nil {
		return nil, fmt.Errorf("%s:%d:%d: %s", a.File, a.Line, a.Col, a.Reason)
	}
	return m.Sidecar.Accesses, nil
}

// sidecar has the sites of the program, and nothing of a model.
func (p *program) sidecar() *artifact.Sidecar {
	side := &artifact.Sidecar{Sites: []artifact.Site{{}}}
	for _, s := range p.sites.Sites() {
		side.Sites = append(side.Sites, artifact.Site{
			ID: int(s.ID), Kind: s.Kind.String(), Key: s.Key, Func: s.Func, File: s.File, Line: s.Line, Col: s.Col, Text: s.Text, Cases: s.Cases,
		})
	}
	return side
}

// instrument builds the instrumented program, with the given tests.
func (p *program) instrument(ctx context.Context, opts Options, side *artifact.Sidecar, how parse.Options, tests map[string][]byte, rep reporter) (*orchestrate.Binary, []parse.Diagnostic, error) {
	return p.instrumentWith(ctx, opts, side, how, tests, rep, nil)
}

// instrumentWith is instrument with a change of the instrumented program, unless it is nil.
func (p *program) instrumentWith(ctx context.Context, opts Options, side *artifact.Sidecar, how parse.Options, tests map[string][]byte, rep reporter, change func(*parse.Overlay, orchestrate.Target) error) (*orchestrate.Binary, []parse.Diagnostic, error) {
	overlay, err := p.overlay(ctx, how, rep)
	if err != nil {
		return nil, nil, err
	}
	target := p.target(side, opts)
	if change != nil {
		if err := change(overlay, target); err != nil {
			return nil, nil, err
		}
	}
	b, err := p.build(ctx, overlay, target, opts, rep, func(with orchestrate.BuildOptions) (*orchestrate.Binary, error) {
		with.Tests = tests
		return orchestrate.Build(ctx, target, with)
	})
	return b, overlay.Diagnostics, err
}

// overlay instruments the program.
func (p *program) overlay(ctx context.Context, how parse.Options, rep reporter) (*parse.Overlay, error) {
	defer rep.stage("instrument")()
	overlay, err := parse.Instrument(ctx, p.source, p.sites, how)
	if err != nil {
		return nil, fmt.Errorf("instrument: %w", err)
	}
	return overlay, nil
}

// build has the instrumented program built, which is in files as long as that takes.
func (p *program) build(ctx context.Context, overlay *parse.Overlay, target orchestrate.Target, opts Options, rep reporter, build func(orchestrate.BuildOptions) (*orchestrate.Binary, error)) (_ *orchestrate.Binary, err error) {
	defer rep.stage("build")()
	temp, err := scratch.Make("overlay")
	if err != nil {
		return nil, fmt.Errorf("scratch directory: %w", err)
	}
	defer func() { err = errors.Join(err, scratch.Remove(temp)) }()
	files, err := p.deliver(ctx, overlay, temp, target, opts)
	if err != nil {
		return nil, err
	}
	b, err := build(orchestrate.BuildOptions{Overlay: files.overlay, ModCache: files.modcache})
	if err != nil {
		return nil, err
	}
	b.Places = overlay.Places
	return b, nil
}
