package pass

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"maps"
	"slices"
	"sync"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/parse"
	"github.com/vtrace/vtrace/internal/source"
)

// To build the instrumented program takes longer than most of what is done with it. So it is
// instrumented in a form that both engines, all rounds of a check and the checks of all entry points
// of a directory can run (parse.Options.Shared): what is particular to one of them is told to the
// program when it is run. Whether two checks can have the same build is not reasoned about: they can
// if what the go command would be given for them is the same, byte by byte.
//
// A program that does not compile in this form is built in the form that it has in the bundle.

// Builds are instrumented programs, each built once for all checks that need the same. The
// zero value is ready to be used, by several checks at once.
type Builds struct {
	mu    sync.Mutex
	known map[buildKey]*sharedBuild
	uses  int
}

// buildKey is a digest of all that a build is made from, but for what the go command finds on disk.
type buildKey [sha256.Size]byte

// sharedBuild is a build that several checks may use.
type sharedBuild struct {
	using  chan struct{}         // see exclusive
	binary *orchestrate.Binary   // nil: it is not built yet
	failed error                 // why it cannot be
	tests  *orchestrate.PlainRun // of all tests of a program that is not instrumented; nil: there was none
	// Of Builds.
	users int
	last  int // the number of its last use
}

// keptBuilds is how many builds stay that no check is using: those of the entry points that come next,
// instrumented and as they are.
const keptBuilds = 8

// take returns the build of a key for a check, which must give it back.
func (b *Builds) take(key buildKey) *sharedBuild {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.known[key]
	if s == nil {
		if b.known == nil {
			b.known = map[buildKey]*sharedBuild{}
		}
		s = &sharedBuild{using: make(chan struct{}, 1)}
		b.known[key] = s
	}
	s.users++
	return s
}

// giveBack takes builds back, and removes those that have not been used for longest.
func (b *Builds) giveBack(list []*sharedBuild) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range list {
		b.uses++
		s.users--
		s.last = b.uses
	}
	return b.keep(keptBuilds)
}

// keep removes all builds that nobody uses but the last n.
func (b *Builds) keep(n int) (err error) {
	var idle []buildKey
	for key, s := range b.known {
		if s.users == 0 {
			idle = append(idle, key)
		}
	}
	slices.SortFunc(idle, func(x, y buildKey) int { return b.known[y].last - b.known[x].last })
	for _, key := range idle[min(n, len(idle)):] {
		if binary := b.known[key].binary; binary != nil {
			err = errors.Join(err, binary.Close())
		}
		delete(b.known, key)
	}
	return err
}

// Close removes the builds that no check is using.
func (b *Builds) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.keep(0)
}

// get returns the binary, which is built if it is not there yet: by one of those who want it, while
// the others wait. One whose context ends harms no other: the next one builds.
func (s *sharedBuild) get(ctx context.Context, build func() (*orchestrate.Binary, error)) (*orchestrate.Binary, error) {
	if err := exclusive(ctx, s.using); err != nil {
		return nil, err
	}
	defer func() { <-s.using }()
	if s.binary != nil || s.failed != nil {
		return s.binary, s.failed
	}
	b, err := build()
	if errors.As(err, new(*orchestrate.BuildError)) {
		s.failed = err
	}
	s.binary = b
	return b, err
}

// form is how a program is instrumented to be built once for several uses.
type form int

const (
	sharedForm form = iota // see parse.Options.Shared
	ownForm                // for this entry alone: all statements have guards, no writes, and accesses are recorded
)

// instrumented is a program in one of the forms.
type formed struct {
	of      *source.Program
	overlay *parse.Overlay     // with the diagnostics of the program
	target  orchestrate.Target // that is built
	tests   []artifact.Entry   // that the driver knows
	without []string           // the packages in it that are not of the program
	key     buildKey
	build   *sharedBuild
}

// formed instruments the program, once in a check.
func (p *program) formed(ctx context.Context, f form, target orchestrate.Target, opts Options, rep reporter) (*formed, error) {
	known := &opts.shared.forms
	if err := exclusive(ctx, known.using); err != nil {
		return nil, err
	}
	defer func() { <-known.using }()
	if has := known.has[f]; has != nil && has.of == p.source {
		return has, nil
	}
	out := &formed{of: p.source, target: target}
	done := rep.stage("instrument")
	err := out.instrument(ctx, p, f)
	done()
	if err != nil {
		return nil, fmt.Errorf("instrument: %w", err)
	}
	out.key = out.digest()
	out.build = opts.shared.builds.take(out.key)
	opts.shared.taken = append(opts.shared.taken, out.build)
	known.has[f] = out
	return out, nil
}

// instrument instruments the program in a form. The shared one is with the tests of its directory that are
// in the other package than the entry, if that makes no difference to the entry.
func (f *formed) instrument(ctx context.Context, p *program, in form) (err error) {
	if in == ownForm {
		f.overlay, err = parse.Instrument(ctx, p.source, p.sites, parse.Options{Accesses: p.statements(), Races: true})
		return err
	}
	how, linked := parse.Options{Shared: true}, p.source
	whole, without := p.source.WithExternalTests()
	if whole != nil {
		linked = whole
	}
	index, err := parse.SharedIndex(ctx, linked)
	if err != nil {
		return err
	}
	if f.overlay, err = parse.Instrument(ctx, linked, index, how); err != nil {
		return err
	}
	if whole != nil {
		own, err := parse.Instrument(ctx, p.source, index, how)
		if err != nil {
			return err
		}
		if all := f.overlay; all.Covers(own) {
			built := orchestrate.TargetOf(whole, &artifact.Sidecar{})
			built.Args, built.Sandbox = f.target.Args, f.target.Sandbox
			f.target, f.without = built, without
			own.Files, own.Dependencies = all.Files, all.Dependencies
		} else {
			linked = p.source
		}
		f.overlay = own
	}
	if f.target.IsTest() {
		for _, test := range linked.EntryFuncs() {
			f.tests = append(f.tests, artifact.Entry{Package: test.Pkg().Path(), Func: test.Name()})
		}
	}
	return nil
}

// digest is the key of the build.
func (f *formed) digest() (key buildKey) {
	h, target := sha256.New(), f.target
	if len(f.tests) > 0 {
		target.Entry.Func, target.End = "", ""
	}
	fmt.Fprintf(h, "%q %q %q %q %q %q\n", target.Root, target.Dir, target.Name, target.Entry, target.End, target.Args)
	fmt.Fprintf(h, "%q %q %q %q %v\n", f.tests, target.Taken, target.Flags, target.GoEnviron(), f.overlay.Dependencies)
	for _, files := range []map[string][]byte{f.overlay.Files, target.Changed} {
		hashFiles(h, files)
	}
	h.Sum(key[:0])
	return key
}

func hashFiles(h hash.Hash, files map[string][]byte) {
	fmt.Fprintf(h, "%d\n", len(files))
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(h, "%q %d\n", name, len(files[name]))
		h.Write(files[name])
	}
}

// runnable is the program in a form, built, as this check runs it.
func (p *program) runnable(ctx context.Context, f form, how orchestrate.SharedRun, opts Options, rep reporter) (*orchestrate.Binary, *parse.Overlay, error) {
	target := p.target(p.sidecar(), opts)
	formed, err := p.formed(ctx, f, target, opts, rep)
	if err != nil {
		return nil, nil, err
	}
	b, err := formed.build.get(ctx, func() (*orchestrate.Binary, error) {
		return p.build(ctx, formed.overlay, formed.target, opts, rep, func(with orchestrate.BuildOptions) (*orchestrate.Binary, error) {
			with.Shared = formed.tests
			return orchestrate.Build(ctx, formed.target, with)
		})
	})
	if err != nil {
		return nil, nil, err
	}
	if f == ownForm {
		return b.For(target, nil), formed.overlay, nil
	}
	how.Bubbles, how.Without = formed.overlay.Bubbles, formed.without
	return b.For(target, &how), formed.overlay, nil
}
