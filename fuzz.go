package vtrace

import (
	"context"

	passes "github.com/vtrace/vtrace/internal/pass"
	"github.com/vtrace/vtrace/pass"
)

// Fuzz searches for errors of a program by runs under schedules, and answers of its environment, that are made of
// those which have come to something new, see docs/fuzzing.md. Budget or Interrupt ends it, or
// Fuzzing.MaxRuns. An error that the program shows twice again is a real finding; the bundle is one of a deep
// pass: its tests can be replayed and exported.
func Fuzz(ctx context.Context, src Source, how pass.Fuzzing, opts ...Option) (*pass.Fuzzed, error) {
	return passes.Fuzz(ctx, src.spec, how, options(opts))
}

// ReadCorpus reads the inputs that WriteCorpus has written to a directory, none if there is no such directory.
func ReadCorpus(dir string) ([]pass.Input, error) { return passes.ReadCorpus(dir) }

// WriteCorpus makes a directory have one file for each input, and none of other inputs that ReadCorpus has
// found there.
func WriteCorpus(dir string, corpus []pass.Input) error { return passes.WriteCorpus(dir, corpus) }
