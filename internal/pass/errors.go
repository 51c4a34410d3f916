package pass

import (
	"context"
	"fmt"
	"slices"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/source"
)

// ArgumentError says which argument of a call is of no use.
type ArgumentError = artifact.ArgumentError

// present says what a pass lacks before it begins.
func present(ctx context.Context, b *artifact.Bundle) error {
	switch {
	case ctx == nil:
		return &ArgumentError{Name: "context", Reason: "nil"}
	case b == nil:
		return &ArgumentError{Name: "bundle", Reason: "nil"}
	}
	return nil
}

// usable says what is wrong with what names a program.
func usable(ctx context.Context, spec source.Spec) error {
	switch {
	case ctx == nil:
		return &ArgumentError{Name: "context", Reason: "nil"}
	case spec.Pattern == "" && spec.Dir == "":
		return &ArgumentError{Name: "source", Reason: "names no package"}
	}
	return nil
}

// expect checks that a bundle comes from the pass that must come before, and has what that
// pass gives.
func expect(b *artifact.Bundle, passes ...string) error {
	if b == nil {
		return &ArgumentError{Name: "bundle", Reason: "nil"}
	}
	if got := b.Manifest().Pass; !slices.Contains(passes, got) {
		return &PassError{Got: got, Want: passes}
	}
	paths := b.Paths()
	for _, path := range []string{artifact.ModelPath, artifact.QueriesPath, artifact.SidecarPath, artifact.VerdictsPath} {
		if !slices.Contains(paths, path) {
			return &artifact.CorruptError{File: path, Err: fmt.Errorf("missing in a bundle of the %s pass", b.Manifest().Pass)}
		}
	}
	return nil
}
