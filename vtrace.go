package vtrace

import (
	"context"
	"io"
	"maps"
	"regexp"
	"time"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/check/verifyta"
	"github.com/vtrace/vtrace/internal/kept"
	orch "github.com/vtrace/vtrace/internal/orchestrate"
	passes "github.com/vtrace/vtrace/internal/pass"
	"github.com/vtrace/vtrace/internal/source"
	"github.com/vtrace/vtrace/internal/translate"
	"github.com/vtrace/vtrace/orchestrate"
	"github.com/vtrace/vtrace/pass"
)

// The types of results that nobody can do without; those of single functions are in packages pass and orchestrate.
type (
	// Bundle is what a pass returns and what the next one starts from.
	Bundle = artifact.Bundle
	// Finding is an error that was found, with its verdict: artifact.Real, artifact.Unconfirmed and so on.
	Finding = artifact.Finding
)

// ErrNoEntry is wrapped by the error of a pass when the package has no such
// entry point.
var ErrNoEntry = source.ErrNoEntry

// Source is a program under check: a package and an entry point in it.
type Source struct{ spec source.Spec }

// SourceOption refines a Source.
type SourceOption func(*spec)

type spec struct{ source.Spec }

// Package is the program of the package that pattern names, as the go command
// would resolve it: "./internal/pool", "example.com/m/pool".
func Package(pattern string, opts ...SourceOption) Source {
	return newSource(source.Spec{Pattern: pattern}, opts)
}

// Dir is the program of the package in a directory.
func Dir(dir string, opts ...SourceOption) Source {
	return newSource(source.Spec{Dir: dir, Pattern: "."}, opts)
}

func newSource(s source.Spec, opts []SourceOption) Source {
	named := spec{s}
	for _, o := range opts {
		if o != nil {
			o(&named)
		}
	}
	return Source{named.Spec}
}

// Entry sets the entry point: "main", which is the default, or the name of a
// test function.
func Entry(name string) SourceOption { return func(s *spec) { s.Entry = name } }

// In sets the directory in which the pattern of Package is resolved.
func In(dir string) SourceOption { return func(s *spec) { s.Dir = dir } }

// Env sets the environment of the go command, in place of the process's own.
func Env(env ...string) SourceOption { return func(s *spec) { s.Env = env } }

// Flags adds build flags of the go command, such as "-tags=x".
func Flags(flags ...string) SourceOption {
	return func(s *spec) { s.Flags = append(s.Flags, flags...) }
}

// LoadTimeout bounds the time that loading the program takes, in which the go command lists its packages and
// compiles what they import: a pass, or Load, ends with a *LoadTimeoutError when it is over. Without it, and with 0,
// there is no bound; a [Budget] begins when the program is loaded.
func LoadTimeout(d time.Duration) SourceOption {
	return func(s *spec) { s.LoadTimeout = d }
}

// Overlay gives the text of files that are not to be read from disk, as an editor has it
// before it is saved, by their names: absolute ones, or relative to the directory of the
// source. Files may be added that are not on disk, go.mod among them, so that all of a program
// may be in memory; the directory of its package must be there. The bundle has the files as
// they are given, so that later passes need no overlay. The maps must not be changed while a
// call is going on that has the source, nor while a Set is in use that was loaded from it.
func Overlay(files map[string][]byte) SourceOption {
	return func(s *spec) {
		if len(files) == 0 {
			return
		}
		all := maps.Clone(s.Overlay)
		if all == nil {
			all = map[string][]byte{}
		}
		maps.Copy(all, files)
		s.Overlay = all
	}
}

// Deps adds patterns of import paths, such as "golang.org/x/sync/...": packages
// of other modules that match are translated and instrumented with the program.
// "all" matches every package that is not of the standard library.
func Deps(patterns ...string) SourceOption {
	return func(s *spec) { s.Deps = append(s.Deps, patterns...) }
}

// VendorDeps puts the sources of the modules that the program depends on into the bundle, as
// far as it needs them to be built: later passes and replays then need no network and no
// module cache.
func VendorDeps() Option { return func(o *settings) { o.VendorDeps = true } }

// Portable has Translate make a model whose queries UPPAAL and Spin can answer, too. What cannot
// be asked so is left out: approximations of the kind "portable" in the sidecar say what.
func Portable() Option { return func(o *settings) { o.Portable = true } }

// Dump has Translate write to w, as text, what a stage of the translation has found, also if no model comes of it:
// "slice" is what of the program matters, "assumptions" what each attempt takes for true of the whole program, and
// "solution" every location with what variables and memory can hold there. It is for those who ask why a model is
// as it is; its form may change with any version.
func Dump(stage string, w io.Writer) Option {
	return func(o *settings) { o.DumpStage, o.Dump = stage, w }
}

// Option directs a pass.
type Option func(*settings)

type settings struct{ passes.Options }

// model returns the model options, to be changed.
func model(o *settings) *passes.Model {
	if o.Model == nil {
		o.Model = &passes.Model{}
	}
	return o.Model
}

// Categories selects the queries by category; without it all are asked.
func Categories(names ...string) Option {
	return func(o *settings) { model(o).Categories = names }
}

// QueryCategories lists the categories of queries.
func QueryCategories() []string { return translate.Categories() }

// WithBounds limits the pools of the model; zero fields keep their defaults.
func WithBounds(b artifact.ModelBounds) Option { return func(o *settings) { model(o).Bounds = b } }

// Strict makes every approximation of the translation an error.
func Strict() Option { return func(o *settings) { model(o).Strict = true } }

// Continue goes on where the program has constructs that cannot be translated.
func Continue() Option { return func(o *settings) { model(o).Continue = true } }

// EveryLine guards every statement and not only the points of the model.
func EveryLine() Option { return func(o *settings) { model(o).EveryLine = true } }

// Races makes random runs look for data races. The deep pass looks for them in
// its replays and in random runs, and they are findings.
func Races() Option { return func(o *settings) { model(o).Races = true } }

// Args are the arguments that the program sees in os.Args after its name.
func Args(args ...string) Option { return func(o *settings) { model(o).Args = args } }

// FromProto makes the first pass search the Proto model.
func FromProto() Option { return func(o *settings) { model(o).FromProto = true } }

// MaxMemory bounds the memory of a search, in bytes.
func MaxMemory(bytes int64) Option { return func(o *settings) { o.Search.MaxMemory = bytes } }

// MaxStates bounds the states of a search.
func MaxStates(n int) Option { return func(o *settings) { o.Search.MaxStates = n } }

// Timeout bounds the time of a search.
func Timeout(d time.Duration) Option { return func(o *settings) { o.Search.Timeout = d } }

// NoReductions makes the embedded engine visit every state of a model, also
// where it could leave some out without changing an answer.
func NoReductions() Option { return func(o *settings) { o.Search.NoReductions = true } }

// RunDepth is the number of traces that are replayed for one query.
func RunDepth(n int) Option { return func(o *settings) { o.RunDepth = n } }

// Budget bounds the time of a check, or of a single pass, from when the program is loaded and
// the packages that it imports are compiled, which takes long once on a machine. When it is spent
// the result is what is known, and says what was cut; 0 is no bound.
func Budget(d time.Duration) Option { return func(o *settings) { o.Budget = d } }

// Stall is how long a goroutine may be held while time passes for a finding that needs
// it to have a short stall; it grades findings, and leaves none out.
func Stall(d time.Duration) Option { return func(o *settings) { o.Stall = d } }

// Interrupt ends a check, once the channel is closed, as a budget that is spent does:
// the result is what is known. Cancelling the context gives none. As long as the program is loaded
// nothing is known: then the error is context.Canceled.
func Interrupt(c <-chan struct{}) Option { return func(o *settings) { o.Interrupt = c } }

// Partial calls f during a deep pass with what is known so far, each time that an error
// has proved real: a bundle of a deep pass in which what is still open is possible.
func Partial(f func(*Bundle)) Option { return func(o *settings) { o.Partial = f } }

// Resume keeps what the first and second pass of a check have made in a directory, and
// takes it from there if an earlier check with the same options has made the same. The
// directory has at most a GiB of it: what was not used for longest goes first.
func Resume(dir string) Option {
	return func(o *settings) { o.Cache = &kept.Cache{Dir: dir} }
}

// Results keeps the results of checks in a directory, of at most so many bytes (0: 1 GiB),
// and takes those of entry points from there that can reach nothing that has changed.
func Results(dir string, maxBytes int64) Option {
	return func(o *settings) { o.Results = &kept.Results{Dir: dir, MaxBytes: maxBytes} }
}

// Watchdog bounds the time of one replay, and in runs under other schedules that from one guard to the next.
func Watchdog(d time.Duration) Option { return func(o *settings) { o.Watchdog = d } }

// DisallowFNV excludes refuted traces by hashes in rewritten queries, the form
// that any engine for UPPAAL's language understands.
func DisallowFNV() Option { return func(o *settings) { o.Disallow = passes.DisallowFNV } }

// Root is the directory of the program, used by the second and the deep pass in
// place of the copy in the bundle if it holds the same files.
func Root(dir string) Option { return func(o *settings) { o.Root = dir } }

// Strategy is a way to choose the schedules of random runs. StrategyPCT and StrategyDelay may have a number
// behind a colon, as in "pct:5": the depth of the errors that are looked for, and how many delays there are.
type Strategy = orch.Strategy

// The strategies. See docs/strategies.md for what each promises.
const (
	StrategyRandom    = orch.StrategyRandom    // a random walk
	StrategyPCT       = orch.StrategyPCT       // priorities, lowered at few moments
	StrategyPOS       = orch.StrategyPOS       // partial order sampling
	StrategySURW      = orch.StrategySURW      // the selectively uniform random walk
	StrategyDelay     = orch.StrategyDelay     // one after the other, with few delays
	StrategyPortfolio = orch.StrategyPortfolio // that of them which shows most
)

// Strategies are all of them.
func Strategies() []Strategy { return orch.Strategies() }

// WithStrategy is how the schedules of Explore are chosen, and those of the random runs of a check that
// neither follow the model nor are guided by a plan; without it StrategyPOS, which has shown most.
func WithStrategy(s Strategy) Option { return func(o *settings) { o.Strategy = s } }

// The ways of Sandbox.
const (
	SandboxPreferred = passes.SandboxPreferred // without one, where the system offers none: an event says so
	SandboxRequired  = passes.SandboxRequired  // a *SandboxError, where the system does not offer all of one
)

// Sandbox has the program run in what the system offers to keep it from what the caller may
// do, see docs/security.md: SandboxPreferred or SandboxRequired.
func Sandbox(how string) Option { return func(o *settings) { o.Sandbox = how } }

// RecordTo has Replay write a recording of the run to w, in the form that ReadRecording reads: it is one more run of
// the same plan.
func RecordTo(w io.Writer) Option { return func(o *settings) { o.Record = w } }

// BuildFlags are build flags of the go command for a pass that starts from a bundle. Of the
// flags in a bundle, only -tags and a few more that can do no harm are obeyed; another one
// is a *RefusedError unless it is given here too.
func BuildFlags(flags ...string) Option {
	return func(o *settings) { o.Flags = append(o.Flags, flags...) }
}

// Processors is how many processors a check uses at once, about; 0 means all. Who runs several
// checks at once gives each its part.
func Processors(n int) Option { return func(o *settings) { o.Processors = n } }

// Verifyta has the models searched by an installed verifyta, UPPAAL's engine, and not by the embedded one. Path is the
// program; "" is that of PATH.
func Verifyta(path string) Option {
	return func(o *settings) { o.Engine = verifyta.Engine{Path: path} }
}

// AsMade makes the options before it count for nothing that say how the model is made and where results are kept: a
// replay, or a pass that starts from a bundle, then does as the bundle was made. Who has one list of options for checks
// and replays puts it behind them.
func AsMade() Option { return func(o *settings) { o.Model, o.Results = nil, nil } }

// Progress sets a callback for what happens in a pass. It is called from the
// goroutine of the pass. It tells events apart by a type switch, and passes over those that it does not know: there may
// be more in later versions.
func Progress(f func(pass.Event)) Option { return func(o *settings) { o.Progress = f } }

func options(opts []Option) passes.Options {
	var o settings
	for _, f := range opts {
		if f != nil {
			f(&o)
		}
	}
	return o.Options
}

// FirstPass translates the program into a model and searches it. Errors in the
// model are possible findings.
func FirstPass(ctx context.Context, src Source, opts ...Option) (*Bundle, error) {
	return passes.First(ctx, src.spec, options(opts))
}

// SecondPass instruments the program of a first pass and searches the model of
// the instrumented program, for the categories of errors that were found.
func SecondPass(ctx context.Context, first *Bundle, opts ...Option) (*Bundle, error) {
	return passes.Second(ctx, first, options(opts))
}

// DeepPass replays the traces of a second pass on the instrumented program,
// until each error is reproduced or refuted, or RunDepth traces were tried.
func DeepPass(ctx context.Context, second *Bundle, opts ...Option) (*Bundle, error) {
	return passes.Deep(ctx, second, options(opts))
}

// Check runs the three passes, one after the other, beside runs of the program under every
// schedule. Unlike the passes by themselves it begins again where runs have shown what the
// model lacks, or a data race.
func Check(ctx context.Context, src Source, opts ...Option) (*Bundle, error) {
	return passes.Check(ctx, src.spec, options(opts))
}

// Translate makes the model of a program, without searching it.
func Translate(ctx context.Context, src Source, opts ...Option) (*Bundle, error) {
	return passes.Translate(ctx, src.spec, options(opts))
}

// Replay runs an Orchestration test of a deep pass again, named as in "q3-1" or by a finding's
// Test. It builds and runs the program. The Status of the verdict says whether the error was reproduced.
func Replay(ctx context.Context, deep *Bundle, test string, opts ...Option) (*orchestrate.Verdict, error) {
	return passes.Replay(ctx, deep, test, options(opts))
}

// Holds reports whether all that the entry of a bundle can reach is, in the program below a
// directory, as it was when the bundle was made: what the bundle says holds then. The overlay
// has files that are not to be read from disk, by names that are absolute or relative to the
// directory; nil for none. The go command loads both programs, and nothing of them is run.
func Holds(ctx context.Context, b *Bundle, dir string, overlay map[string][]byte) (bool, error) {
	return passes.Holds(ctx, b, dir, overlay)
}

// ExportTest makes a regression test of an Orchestration test of a deep pass, named as for Replay: a file for the tree of
// the program, which RunExported runs. It runs nothing. The test in the bundle has to be one that vtrace could have
// made: it does nothing but follow a plan. Flags are as in BuildFlags.
func ExportTest(deep *Bundle, test string, flags ...string) (*pass.Exported, error) {
	return passes.Export(deep, test, flags...)
}

// RunExported runs the exported tests in the directory of a package, those whose names match, on the program as it is
// now. The build flags that a test names are obeyed as those of a bundle, see BuildFlags.
func RunExported(ctx context.Context, dir string, match *regexp.Regexp, opts ...Option) ([]pass.ExportedResult, error) {
	return passes.RunExported(ctx, dir, match, options(opts))
}

// Version is the version of vtrace, as the manifests of its bundles have it: that of the module it was built from, or
// "devel".
func Version() string { return passes.Version() }

// Unpack writes the program of a bundle, the instrumented one if there is one, into a
// directory, so that it can be changed by hand.
func Unpack(b *Bundle, dir string) error { return passes.Unpack(b, dir) }

// Adopt makes a bundle of what Unpack has written and somebody has changed: a fork that says
// what was changed, and that later passes and replays go on from. See docs/architecture.md for
// what holds of it.
func Adopt(ctx context.Context, dir string, opts ...Option) (*Bundle, error) {
	return passes.Adopt(ctx, dir, options(opts))
}

// Conclude sums up a bundle, without findings of some numbers, if others are to count alone: those
// that are accepted, say, see report.Accept.
func Conclude(b *Bundle, without ...int) pass.Conclusion { return passes.Conclude(b, without...) }
