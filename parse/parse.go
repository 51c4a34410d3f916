package parse

import (
	"context"

	"github.com/vtrace/vtrace/internal/parse"
	"github.com/vtrace/vtrace/internal/source"
)

// DefaultRuntimePath is the import path of the runtime in instrumented programs: that of a package of the standard
// library, in the overlay only, which every package can import, of whatever module, vendored or not.
const DefaultRuntimePath = parse.DefaultRuntimePath

type (
	// Overlay is an instrumented program, as changes to the original: the changed and added files, and those of the
	// runtime. Write makes of it what the go command takes.
	Overlay = parse.Overlay
	// Diagnostic is a construct that is not guarded, and why.
	Diagnostic = parse.Diagnostic
	// Dependency is a module outside of the root of a program that has some of the changed files.
	Dependency = source.Dependency
	// ToolchainError says that an installed Go runtime is not one that is known, so that recordings do not have the
	// partners of operations.
	ToolchainError = parse.ToolchainError
)

// Program says which program is instrumented.
type Program struct {
	// Dir is the directory in which Pattern is resolved; "" is the current one.
	Dir string
	// Pattern names one package as the go command does; "" is that in Dir.
	Pattern string
	// Entry is "main", which "" means too, or the name of a test function.
	Entry string
	// Env is the environment of the go command; nil means the process's own.
	Env []string
	// Flags are build flags of the go command, such as -tags=x.
	Flags []string
	// Deps are patterns of import paths: the packages of other modules that they match are instrumented, too. "all"
	// matches every package that is not of the standard library, "none" none. No pattern means modules that a
	// directory replaces, and small ones with concurrency in them.
	Deps []string
}

// Options say what to guard and how the runtime is imported.
type Options struct {
	// EveryLine guards all statements, as lines that are logged.
	EveryLine bool
	// Races records accesses to memory that goroutines may share, so that the runtime finds data races. They are no
	// guards.
	Races bool
	// RuntimePath is the import path of the runtime; "" means DefaultRuntimePath. Another path must lie in the main
	// module.
	RuntimePath string
	// RuntimeDir is the directory of the runtime, relative to the module root, if RuntimePath is not one of the
	// standard library.
	RuntimeDir string
}

// Instrument loads a program, puts guards into its packages, and says where it could not. Nothing is written, and
// nothing of the program is run.
func Instrument(ctx context.Context, p Program, o Options) (*Overlay, error) {
	spec := source.Spec{Dir: p.Dir, Pattern: p.Pattern, Entry: p.Entry, Env: p.Env, Flags: p.Flags, Deps: p.Deps}
	prog, err := source.Load(ctx, spec)
	if err != nil {
		return nil, err
	}
	return parse.Instrument(ctx, prog, parse.Index(prog), parse.Options{
		EveryLine: o.EveryLine, Races: o.Races, RuntimePath: o.RuntimePath, RuntimeDir: o.RuntimeDir,
	})
}
