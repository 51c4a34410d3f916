package main

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"

	"github.com/vtrace/vtrace"
	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/pass"
)

// runUnpack writes the program of a bundle, so that it can be changed.
func runUnpack(c *call) (int, error) {
	var s settings
	fs := c.flags()
	out := fs.String("o", "", "write the program and the bundle to `DIR`, which must be empty or not be there")
	s.verifying(fs)
	args, err := c.parse(fs, 1, 1)
	if err != nil {
		return 0, err
	}
	if *out == "" {
		return 0, fmt.Errorf("%w: -o says where to", errUsage)
	}
	b, err := s.load(args[0])
	if err != nil {
		return 0, err
	}
	if err := vtrace.Unpack(b, *out); err != nil {
		return 0, err
	}
	what := "the program"
	if p := b.Manifest().Pass; p == artifact.PassSecond || p == artifact.PassDeep {
		what = "the instrumented program"
	}
	fmt.Fprintf(c.stdout, "%s is in %s: change it there, and make a bundle of it again with: vtrace adopt %s\n", what, filepath.Join(*out, pass.UnpackedProgram), *out)
	return exitNothing, nil
}

// runAdopt makes a bundle of a program that was unpacked and changed.
func runAdopt(c *call) (int, error) {
	return runPass(c, false, func(s *settings, fs *flag.FlagSet) {
		s.search(fs)
		s.rootDir(fs)
		s.trusted(fs)
	}, func(ctx context.Context, arg string, _ *settings, opts []vtrace.Option) (*vtrace.Bundle, error) {
		b, err := vtrace.Adopt(ctx, arg, opts...)
		if err == nil && len(b.Manifest().Changed) == 0 {
			fmt.Fprintln(c.stderr, "vtrace: nothing was changed: the bundle is the one that was unpacked")
		}
		return b, err
	})
}
