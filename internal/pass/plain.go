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
	plainTries = 10              // of an entry, at most, and of all tests of its package
	plainFirst = 2 * time.Second // after which a run is ended
	plainTime  = time.Second     // after which no other run begins
	plainLate  = time.Second     // after the end of the budget all is over
)

// contradicted is the bundle of a check, with what plain runs of the program say against it.
func (p *program) contradicted(ctx context.Context, b *artifact.Bundle, begun time.Time, opts Options, rep reporter) (*artifact.Bundle, error) {
	c, r := Conclude(b), b.Runs()
	switch {
	case c.Real+c.TimingDependent > 0, r == nil, r.Failing != "":
		return b, nil // it fails, as is known
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
	case err == nil && fails != (plainFailure{}):
		return withRuns(b, func(r *artifact.Runs) { r.FailsPlain, r.FailsTogether = fails.alone, fails.together })
	case err == nil, part.Err() != nil, errors.As(err, new(*orchestrate.BuildError)):
		return b, nil // nothing speaks against the result
	}
	return nil, err
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
	run, err := fewPlain(ctx, own.RunPlain)
	if out.alone = run.Failure; err != nil || !run.Ended || run.Failure != "" {
		return out, err
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

// fewPlain makes a few plain runs, until one of them fails or is ended, and returns the last one.
func fewPlain(ctx context.Context, run func(context.Context, time.Duration) (orchestrate.PlainRun, error)) (last orchestrate.PlainRun, err error) {
	begun := time.Now()
	for n := 0; n < plainTries && (n == 0 || time.Since(begun) < plainTime); n++ {
		if last, err = run(ctx, plainFirst); err != nil || !last.Ended || last.Failure != "" {
			break
		}
	}
	return last, err
}

// allTests is how all tests of a package end in plain runs, which are made once.
func (s *sharedBuild) allTests(ctx context.Context, b *orchestrate.Binary) (orchestrate.PlainRun, error) {
	if err := exclusive(ctx, s.using); err != nil {
		return orchestrate.PlainRun{}, err
	}
	defer func() { <-s.using }()
	if s.tests == nil {
		run, err := fewPlain(ctx, b.RunPlainTests)
		if err != nil {
			return run, err
		}
		s.tests = &run
	}
	return *s.tests, nil
}
