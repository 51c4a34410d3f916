package pass

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/parse"
	"github.com/vtrace/vtrace/internal/scratch"
)

// The go command compiles each package of the standard library once for the flags of the
// instrumented program, into its build cache. On a machine that has not done so yet, or has
// another toolchain now, that takes longer than most checks. So it is done before the budget
// begins, with a bound of its own.

// librariesLimit bounds that stage. What is not compiled by then is when the program is built.
const librariesLimit = 10 * time.Minute

// compiledLast names the packages that were compiled last in this process: many entry points of
// a package import the same. Of those that are checked at once, one compiles them and the others wait.
var (
	compiledLast atomic.Pointer[[sha256.Size]byte]
	compiling    = make(chan struct{}, 1)
)

// compileLibraries compiles the packages that the instrumented program imports, and the runtime,
// if there is a budget that this would use up. It ends early with ctx, and when Interrupt is
// closed. That something does not compile is said by the build of the program, which
// needs it.
func (p *program) compileLibraries(ctx context.Context, opts Options, rep reporter) {
	if opts.Budget <= 0 {
		return
	}
	linked := p.source
	if whole, _ := linked.WithExternalTests(); whole != nil {
		linked = whole // which is built, and the tests of the other package need the same
	}
	target, packages := p.target(p.sidecar(), opts), linked.Imports()
	key := sha256.Sum256(fmt.Appendf(nil, "%q", [][]string{target.GoEnviron(), target.Flags, packages}))
	compiled := func() bool { last := compiledLast.Load(); return last != nil && *last == key }
	if compiled() {
		return
	}
	defer rep.stage(LibrariesStage)()
	limited, cancel := context.WithTimeout(ctx, librariesLimit)
	defer cancel()
	limited, stop := opts.interruptible(limited)
	defer stop()
	if err := exclusive(limited, compiling); err != nil {
		return
	}
	defer func() { <-compiling }()
	if compiled() {
		return
	}
	if err := p.compileIn(limited, target, packages, opts); err == nil {
		compiledLast.Store(&key)
	}
}

// compileIn compiles packages with the runtime in its place.
func (p *program) compileIn(ctx context.Context, target orchestrate.Target, packages []string, opts Options) (err error) {
	runtime, err := parse.Runtime()
	if err != nil {
		return err
	}
	temp, err := scratch.Make("overlay")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, scratch.Remove(temp)) }()
	files, err := p.deliver(ctx, &parse.Overlay{Runtime: runtime, RuntimeDir: parse.DefaultRuntimePath, RuntimeStd: true}, temp, target, opts)
	if err != nil {
		return err
	}
	compile := opts.compile
	if compile == nil {
		compile = orchestrate.Compile
	}
	return compile(ctx, target, packages, orchestrate.BuildOptions{Overlay: files.overlay})
}
