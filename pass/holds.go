package pass

import (
	"context"
	"errors"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/source"
)

// Holds reports whether all that the entry of a bundle can reach is, in the program below a
// directory, as it was when the bundle was made: then what the bundle says holds for that
// program, too. Both programs are loaded for that, the one in the bundle from a copy; nothing is
// executed of them. The overlay are files below the directory that are not to be read from disk, as in
// source.Spec. A program that lacks the entry, or does not compile, is another one.
func Holds(ctx context.Context, b *artifact.Bundle, dir string, overlay map[string][]byte) (_ bool, err error) {
	defer caught(&err)
	if err := present(ctx, b); err != nil {
		return false, err
	}
	if dir == "" {
		return false, &ArgumentError{Name: "directory", Reason: "empty"}
	}
	entry, err := entryOf(b)
	if err != nil {
		return false, err
	}
	opts, err := Options{}.inherit(b)
	if err != nil {
		return false, err
	}
	spec := source.Spec{Dir: dir, Pattern: entry.Package, ImportPath: true, Entry: entry.Func, Flags: opts.Model.Flags, Deps: opts.Model.Deps, Overlay: overlay}
	now, err := source.Load(ctx, spec)
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case errors.Is(err, source.ErrNoEntry) || len(source.ProgramErrors(err)) > 0:
		return false, nil
	case err != nil:
		return false, err
	}
	was, err := reload(ctx, b, opts)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, was.close()) }()
	digest, err := was.source.ReachableDigest()
	if err != nil {
		return false, err
	}
	again, err := now.ReachableDigest()
	return err == nil && digest == again, err
}
