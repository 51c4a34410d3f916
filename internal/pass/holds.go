package pass

import (
	"bytes"
	"context"
	"errors"
	"maps"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/source"
)

// Holds reports whether all that the entry of a bundle can reach is, in the program below a
// directory, as it was when the bundle was made: then what the bundle says holds for that
// program, too. Both programs are loaded for that, the one in the bundle from a copy; nothing is
// executed of them. The overlay are files below the directory that are not to be read from disk, as in
// source.Spec. A program that lacks the entry, or does not compile, is another one. Where directories
// outside of the program replace modules the one in the bundle is not loaded: it is the same if all files
// are, and else there is a *RefusedError.
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
	// A bundle is not loaded with directories that are none of it, as those that replace modules.
	if same, err := sameProgram(b, now); same || err != nil {
		return same, err
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

// sameProgram reports whether a program consists of the files of a bundle, those of dependencies
// included, but for what go.sum vouches for.
func sameProgram(b *artifact.Bundle, prog *source.Program) (bool, error) {
	if !prog.Complete() {
		return false, nil
	}
	files, err := prog.Files()
	if err != nil {
		return false, err
	}
	was := maps.Collect(b.Below(artifact.SourceDir))
	if len(files) != len(was) {
		return false, nil
	}
	for _, f := range files {
		if data, ok := was[f.Path]; !ok || !bytes.Equal(data, f.Data) {
			return false, nil
		}
	}
	return true, nil
}
