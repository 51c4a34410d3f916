package pass

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/vtrace/vtrace/orchestrate"
	"github.com/vtrace/vtrace/parse"
	"github.com/vtrace/vtrace/recording"
	"github.com/vtrace/vtrace/sites"
	"github.com/vtrace/vtrace/source"
)

// Recording says how a run is recorded.
type Recording struct {
	// To is what the recording is written to, in the form that package recording reads.
	To io.Writer
	// Timeout ends the program; 0 is no bound.
	Timeout time.Duration
	// MaxBytes bounds what is recorded, before it is compressed; 0 is 4 GiB. What is done beyond that
	// is not recorded.
	MaxBytes int64
	// Accesses has reads and writes of memory that goroutines may share recorded, too, which data races are
	// predicted from.
	Accesses bool
	// Stdout and Stderr get what the program prints; nil: nobody does.
	Stdout, Stderr io.Writer
}

// Recorded is how a run that was recorded has ended.
type Recorded struct {
	// Program is what was run: the package and the entry.
	Program string
	// End is how it has ended, in words: "exit status 2", "signal: killed", "timeout", "interrupted".
	End string
	// Code is its exit code, -1 if there is none.
	Code int
	// Limits are what is not in the recording, and why, but for what Recording.MaxBytes has cut off: see
	// recording.Reader.Cut.
	Limits []string
}

// Record runs a program once, free, and records what its goroutines do. When ctx ends the program
// is ended, and what it has done until then is recorded.
func Record(ctx context.Context, spec source.Spec, how Recording, opts Options) (_ *Recorded, err error) {
	defer caught(&err)
	if how.To == nil {
		return nil, &OptionError{"Recording.To", "nil"}
	}
	if how.MaxBytes < 0 || how.Timeout < 0 {
		return nil, &OptionError{"Recording", "a bound is negative"}
	}
	p, opts, rep, close, err := loadToRun(ctx, spec, opts)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, close()) }()
	opts.shared = newShared(nil) // the settings of the go command are asked for once
	return p.record(ctx, how, opts, rep)
}

// record is Record for a program that is loaded.
func (p *program) record(ctx context.Context, how Recording, opts Options, rep reporter) (_ *Recorded, err error) {
	b, limits, err := p.instrumentFree(ctx, how.Accesses, opts, rep)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	entry := p.entry()
	out := &Recorded{Program: entry.Package + "." + entry.Func}
	done := rep.stage("record")
	_, err = b.RecordFree(ctx, orchestrate.RecordOptions{Timeout: how.Timeout, Limit: how.MaxBytes, Stdout: how.Stdout, Stderr: how.Stderr},
		func(recorded io.Reader, ran *orchestrate.Ran) error {
			done()
			defer rep.stage("convert")()
			if ran.Others > 0 {
				limits = append(limits, fmt.Sprintf("%d other processes of the program are not recorded", ran.Others))
			}
			out.End, out.Code, out.Limits = ran.End, ran.Code, limits
			h := recording.Header{Program: out.Program, Tool: Version(), Go: runtime.Version(), End: ran.End, Notes: limits, Positions: p.positions(how.Accesses), Names: b.Places}
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
	env, err := p.goSettings(ctx, target, opts)
	if err != nil {
		return nil, nil, err
	}
	var unknown *parse.ToolchainError
	switch err := overlay.Recorded(env.GOROOT); {
	case errors.As(err, &unknown):
		limits = append(limits, "who has sent what was received is not known: "+unknown.Error())
	case err != nil:
		return nil, nil, err
	}
	b, err := p.build(ctx, overlay, target, opts, rep, func(with orchestrate.BuildOptions) (*orchestrate.Binary, error) {
		return orchestrate.BuildFree(ctx, target, with)
	})
	return b, limits, err
}

// positions are those of the operations, by the numbers of their sites; with those of statements that access memory.
func (p *program) positions(accesses bool) []recording.Position {
	var list []recording.Position
	for _, s := range p.sites.Sites() {
		for int(s.ID) > len(list) {
			list = append(list, recording.Position{})
		}
		if accesses && s.Kind == sites.Stmt || s.IsOp() || s.Kind == sites.Start || s.Kind == sites.Atomic {
			list[s.ID-1] = recording.Position{File: s.File, Line: s.Line, Column: s.Col, Func: s.Func, Site: s.Key}
		}
	}
	return list
}
