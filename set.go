package vtrace

import (
	"context"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/pass"

	passes "github.com/vtrace/vtrace/internal/pass"
	"github.com/vtrace/vtrace/internal/source"
)

// EntryPoint is an entry point of a package of a Set: the import path of its Package, its Func, which is "main" or that of
// a test, and its Pos.
type EntryPoint = source.EntryPoint

type (
	// Changes says what entry points can reach that has changed since a revision: the Commit that it has named, and the
	// Entries that can.
	Changes = source.Changes
	// Change is an Entry that can, and What it can reach, in words.
	Change = source.Change
)

// Set is packages that are loaded once for all their entry points. Its checks share what they can,
// also the instrumented programs that they run: Close removes those.
type Set struct {
	set    *source.Set
	builds *passes.Builds
}

// Load loads the packages that a source's pattern names, "./..." for all of a
// module, with their tests. The entry of the source is not used.
func Load(ctx context.Context, src Source) (*Set, error) {
	if src.spec.Pattern == "" && src.spec.Dir == "" {
		return nil, &artifact.ArgumentError{Name: "source", Reason: "names no package"}
	}
	set, err := source.LoadSet(ctx, src.spec)
	if err != nil {
		return nil, err
	}
	return &Set{set, &passes.Builds{}}, nil
}

// Close removes the instrumented programs that the checks of the set have shared, which must have
// ended. The set may be used again. Without it they are removed by the next process that uses vtrace.
func (s *Set) Close() error {
	if s == nil || s.builds == nil {
		return nil
	}
	return s.builds.Close()
}

// Entries lists the entry points: main functions and tests, by package and
// place.
func (s *Set) Entries() []EntryPoint {
	if s == nil || s.set == nil {
		return nil
	}
	return s.set.Entries()
}

// Others lists what the go command runs with the tests besides Entries: fuzz tests, and
// examples that say what they print. A source with one of them as its entry is checked.
func (s *Set) Others() []EntryPoint {
	if s == nil || s.set == nil {
		return nil
	}
	return s.set.Others()
}

// ChangedSince finds out which entry points can reach something that is not as it was at a
// revision of the git repository that the program is in: what is on disk counts, whether git knows
// of it or not. It writes nothing to the repository, runs nothing that its configuration names, and
// errs on the side of changes. A change of one of the files, such as settings, is one of all entry points.
func (s *Set) ChangedSince(ctx context.Context, revision string, entries []EntryPoint, files ...string) (*Changes, error) {
	if s == nil || s.set == nil {
		return nil, &artifact.ArgumentError{Name: "set", Reason: "nil"}
	}
	return s.set.ChangedSince(ctx, revision, entries, files...)
}

// Check runs the three passes on one of the entry points. Several may be checked at the same time.
func (s *Set) Check(ctx context.Context, entry EntryPoint, opts ...Option) (*Bundle, error) {
	if s == nil {
		return nil, &artifact.ArgumentError{Name: "set", Reason: "nil"}
	}
	o := options(opts)
	o.Builds = s.builds
	return passes.CheckEntry(ctx, s.set, entry, o)
}

// Fuzz is Fuzz of one of the entry points.
func (s *Set) Fuzz(ctx context.Context, entry EntryPoint, how pass.Fuzzing, opts ...Option) (*pass.Fuzzed, error) {
	if s == nil {
		return nil, &artifact.ArgumentError{Name: "set", Reason: "nil"}
	}
	return passes.FuzzEntry(ctx, s.set, entry, how, options(opts))
}

// Digest is the sha256, in hexadecimal, of all of the program that an entry point can reach: a
// result for it holds as long as that is the same, but for its findings, whose tests are of the
// files as they were. It does not cover the toolchain, nor what else the program reads when it
// runs. Nothing is executed.
func (s *Set) Digest(entry EntryPoint) (string, error) {
	if s == nil || s.set == nil {
		return "", &artifact.ArgumentError{Name: "set", Reason: "nil"}
	}
	prog, err := s.set.Program(entry)
	if err != nil {
		return "", err
	}
	return prog.ReachableDigest()
}
