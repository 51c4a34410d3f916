package pass

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"time"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/parse"
)

// What a check says rests on a model of the program, and on an instrumented copy of it, which runs
// under control. Both are vtrace's. So where no error was found, the program runs as it is, a few
// times: if it fails there, the result does not stand. Its tests also run together, as go test has
// them, since what one of them leaves behind may harm the next one, and a check is about one.

const (
	plainTries = 10              // of an entry, at most
	plainFirst = 2 * time.Second // after which an entry is ended, and all tests of its package are
	plainTime  = time.Second     // for all runs of an entry but the first
	plainLate  = time.Second     // after the end of the budget all is over
)

// contradicted is the bundle of a check, with what plain runs of the program say against it.
func (p *program) contradicted(ctx context.Context, b *artifact.Bundle, begun time.Time, opts Options, rep reporter) (*artifact.Bundle, error) {
	c, r := Conclude(b), b.Runs()
	switch {
	case c.Real+c.TimingDependent > 0, r == nil, r.Failing != "", r.Runs > 0 && r.Limited == r.Runs:
		return b, nil // it fails, or does not end, as is known
	case isClosed(opts.Interrupt):
		return b, nil
	}
	defer rep.stage("plain runs")()
	part, cancel := opts.interruptible(ctx)
	defer cancel()
	if opts.Budget > 0 {
		part, cancel = context.WithDeadline(part, begun.Add(opts.Budget+plainLate))
		defer cancel()
	}
	fails, err := p.plain(part, opts, rep)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case part.Err() != nil, errors.As(err, new(*orchestrate.BuildError)), err == nil && fails == (plainFailure{}):
		return b, nil // nothing speaks against the result
	case err != nil:
		return nil, err
	}
	return withRuns(b, func(r *artifact.Runs) { r.FailsPlain, r.FailsTogether = fails.alone, fails.together })
}

// plainFailure is how a program has failed in plain runs: "" if it has not.
type plainFailure struct{ alone, together string }

// plain runs the program as it is.
func (p *program) plain(ctx context.Context, opts Options, rep reporter) (out plainFailure, err error) {
	target := p.target(p.sidecar(), opts)
	formed, err := p.formed(ctx, sharedForm, target, opts, rep)
	if err != nil {
		return out, err
	}
	// Programs that are instrumented to the same are the same.
	build := opts.shared.builds.take(sha256.Sum256(append([]byte("plain "), formed.key[:]...)))
	defer func() { err = errors.Join(err, opts.shared.builds.giveBack([]*sharedBuild{build})) }()
	shared, err := build.get(ctx, func() (*orchestrate.Binary, error) {
		return p.build(ctx, &parse.Overlay{}, formed.target, opts, rep, func(with orchestrate.BuildOptions) (*orchestrate.Binary, error) {
			return orchestrate.BuildFree(ctx, formed.target, with)
		})
	})
	if err != nil {
		return out, err
	}
	own := shared.For(target, nil)
	begun := time.Now()
	for n := 0; n < plainTries && (n == 0 || time.Since(begun) < plainTime); n++ {
		run, err := own.RunPlain(ctx, plainFirst)
		if err != nil {
			return out, err
		}
		if out.alone = run.Failure; !run.Ended || run.Failure != "" {
			return out, nil
		}
	}
	if !target.IsTest() || len(formed.tests) < 2 {
		return out, nil
	}
	all, err := build.allTests(ctx, own)
	if err == nil && slices.Contains(all.Failed, target.Entry.Func) {
		out.together = all.Failure
	}
	return out, err
}

// allTests is how all tests of a package end in a run, the first one that fails of a few. They are made
// once.
func (s *sharedBuild) allTests(ctx context.Context, b *orchestrate.Binary) (orchestrate.PlainRun, error) {
	if err := exclusive(ctx, s.using); err != nil {
		return orchestrate.PlainRun{}, err
	}
	defer func() { <-s.using }()
	begun := time.Now()
	for n := 0; s.tests == nil; n++ {
		run, err := b.RunPlainTests(ctx, plainFirst)
		if err != nil {
			return run, err
		}
		if !run.Ended || run.Failure != "" || n == plainTries || time.Since(begun) > plainTime {
			s.tests = &run
		}
	}
	return *s.tests, nil
}
