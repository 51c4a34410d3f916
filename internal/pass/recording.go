package pass

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/parse"
	"github.com/vtrace/vtrace/internal/recording"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/source"
)

// Record runs a program once, free or, with Recording.Seed, under control, and records what its goroutines do. When ctx ends
// the program is ended, and what it has done until then is recorded if it runs free.
func Record(ctx context.Context, spec source.Spec, how Recording, opts Options) (_ *Recorded, err error) {
	defer caught(&err)
	if how.To == nil {
		return nil, &OptionError{Option: "Recording.To", Reason: "nil"}
	}
	if how.MaxBytes < 0 || how.Timeout < 0 {
		return nil, &OptionError{Option: "Recording", Reason: "a bound is negative"}
	}
	p, opts, rep, close, err := loadToRun(ctx, spec, opts)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, close()) }()
	opts.shared = newShared(nil) // the settings of the go command are asked for once
	if how.Seed != nil {
		return p.recordSeed(ctx, how, opts, rep)
	}
	return p.record(ctx, how, opts, rep)
}

// record is Record for a program that is loaded.
func (p *program) record(ctx context.Context, how Recording, opts Options, rep reporter) (_ *Recorded, err error) {
	b, limits, err := p.instrumentFree(ctx, how.Accesses, opts, rep)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	out := &Recorded{Program: p.name()}
	done := rep.stage("record")
	_, err = b.RecordFree(ctx, orchestrate.RecordOptions{Timeout: how.Timeout, Limit: how.MaxBytes, Stdout: how.Stdout, Stderr: how.Stderr},
		func(recorded io.Reader, ran *orchestrate.Ran) error {
			done()
			defer rep.stage("convert")()
			if ran.Others > 0 {
				limits = append(limits, fmt.Sprintf("%d other processes of the program are not recorded", ran.Others))
			}
			out.End, out.Code, out.Limits = ran.End, ran.Code, limits
			h := recording.Header{
				Program: out.Program, Tool: Version(), Go: runtime.Version(), End: ran.End, Notes: limits, Judged: ran.Judged, Leaked: ran.Leaked, Reachable: ran.Reachable,
				Positions: p.positions(how.Accesses), Names: b.Places,
			}
			return recording.Convert(how.To, h, recorded)
		})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// partly is said of all recordings that have accesses to memory.
const partly = "of an access to memory of more than 64 bytes only the first are recorded, and that a part of a word and all of it are the same memory is not seen"

// instrumentFree builds the instrumented program as it is, with a Go runtime that tells who has met
// whom. It also returns what recordings will not have, and why.
func (p *program) instrumentFree(ctx context.Context, accesses bool, opts Options, rep reporter) (_ *orchestrate.Binary, limits []string, err error) {
	overlay, err := p.overlay(ctx, parse.Options{Races: accesses}, rep)
	if err != nil {
		return nil, nil, err
	}
	for _, d := range overlay.Diagnostics {
		if (!d.Access || accesses) && !d.Number {
			limits = append(limits, d.String())
		}
	}
	if accesses {
		limits = append(limits, partly)
	}
	target := p.target(p.sidecar(), opts)
	unknown, err := p.tellPartners(ctx, overlay, target, opts)
	if err != nil {
		return nil, nil, err
	}
	limits = append(limits, unknown...)
	b, err := p.build(ctx, overlay, target, opts, rep, func(with orchestrate.BuildOptions) (*orchestrate.Binary, error) {
		return orchestrate.BuildFree(ctx, target, with)
	})
	return b, limits, err
}

// tellPartners has a program built with a Go runtime that tells who has met whom. If that cannot be, it says why.
func (p *program) tellPartners(ctx context.Context, overlay *parse.Overlay, target orchestrate.Target, opts Options) (limits []string, err error) {
	env, err := p.goSettings(ctx, target, opts)
	if err != nil {
		return nil, err
	}
	var unknown *parse.ToolchainError
	switch err := overlay.Recorded(env.GOROOT); {
	case errors.As(err, &unknown):
		return []string{"who has sent what was received is not known: " + unknown.Error()}, nil
	case err != nil:
		return nil, err
	}
	return nil, nil
}

// positions are those of the operations, by the numbers of their sites; with those of statements that access memory.
func (p *program) positions(accesses bool) []recording.Position {
	return positionsIn(p.sidecar(), accesses)
}

// positionsIn is positions for the sites of a sidecar.
func positionsIn(side *artifact.Sidecar, accesses bool) []recording.Position {
	var list []recording.Position
	for _, s := range side.Sites {
		if s.ID < 1 {
			continue // sites are numbered from 1
		}
		for s.ID > len(list) {
			list = append(list, recording.Position{})
		}
		kind := sites.Named(s.Kind)
		if accesses && kind == sites.Stmt || (sites.Site{Kind: kind}).IsOp() || kind == sites.Start || kind == sites.Atomic {
			list[s.ID-1] = recording.Position{File: s.File, Line: s.Line, Column: s.Col, Func: s.Func, Site: s.Key}
		}
	}
	return list
}

// recordSeed records a run under control.
func (p *program) recordSeed(ctx context.Context, how Recording, opts Options, rep reporter) (_ *Recorded, err error) {
	if opts.Strategy == orchestrate.StrategyPortfolio {
		return nil, &OptionError{Option: "Strategy", Reason: "a run that is recorded has one strategy, and " + string(opts.Strategy) + " is all of them by turns"}
	}
	model := *opts.Model
	model.Races = model.Races || how.Accesses
	opts.Model = &model
	var unknown []string
	b, side, limits, err := p.buildToRunWith(ctx, opts, rep, func(o *parse.Overlay, target orchestrate.Target) (err error) {
		unknown, err = p.tellPartners(ctx, o, target, opts)
		return err
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	limits = append(limits, unknown...)
	r := controlled{
		program: p.name(), schedule: fmt.Sprintf("seed %d, strategy %s", *how.Seed, opts.Strategy),
		limits: limits, side: side, names: b.Places, accesses: model.Races, to: how.To,
	}
	done := rep.stage("record")
	timeout := how.Timeout
	if timeout == 0 {
		timeout = math.MaxInt64
	}
	v, err := b.RecordSeed(ctx, *how.Seed, opts.Strategy, orchestrate.RunOptions{Timeout: timeout}, orchestrate.RecordRun{Limit: how.MaxBytes, Read: r.convert})
	done()
	if err != nil {
		return nil, err
	}
	if how.Stdout != nil {
		if _, err := io.WriteString(how.Stdout, v.Stdout); err != nil {
			return nil, err
		}
	}
	if how.Stderr != nil {
		if _, err := io.WriteString(how.Stderr, v.Stderr); err != nil {
			return nil, err
		}
	}
	return &Recorded{Program: r.program, End: v.Reason, Code: -1, Limits: r.notes(v)}, nil
}

// name is that of the entry of a program, as recordings have it.
func (p *program) name() string {
	entry := p.entry()
	return entry.Package + "." + entry.Func
}

// controlled is a run under control that is recorded.
type controlled struct {
	program, schedule string
	limits            []string
	side              *artifact.Sidecar
	names             []string // of memory, in the source
	accesses          bool
	to                io.Writer
}

// convert writes the recording.
func (c *controlled) convert(recorded io.Reader, v *orchestrate.Verdict) error {
	h := recording.Header{
		Program: c.program, Tool: Version(), Go: runtime.Version(), End: v.Reason, Schedule: c.schedule, Notes: c.notes(v),
		Positions: positionsIn(c.side, c.accesses), Names: c.names,
	}
	return recording.Convert(c.to, h, recorded)
}

// notes are what the recording does not have, and where the run was not under control.
func (c *controlled) notes(v *orchestrate.Verdict) []string {
	notes := slices.Clone(c.limits)
	if c.accesses {
		notes = append(notes, partly)
	}
	for _, w := range v.Weaknesses {
		notes = append(notes, "not under control: "+w)
	}
	return notes
}

// recordReplay records one more run of a plan, and notes if it comes to another end.
func (d *deep) recordReplay(ctx context.Context, v *orchestrate.Verdict, test string) error {
	r := controlled{
		program: d.program.name(), schedule: "replay of " + test, limits: d.unknownPartners, side: d.side, names: d.binary.Places,
		accesses: d.opts.Model.Races, to: d.opts.Record,
	}
	again, err := d.binary.RecordPlan(ctx, v.Plan, orchestrate.RunOptions{Timeout: d.opts.Watchdog}, orchestrate.RecordRun{Read: r.convert})
	if err != nil {
		return err
	}
	if again.Kind != v.Kind || again.G != v.G || again.Site != v.Site {
		v.Notes = append(v.Notes, fmt.Sprintf("the run that was recorded came to another end: %s", again.Reason))
	}
	return nil
}
