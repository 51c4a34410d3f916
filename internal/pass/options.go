package pass

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"runtime/debug"
	"strings"
	"time"

	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/check"
	"github.com/vtrace/vtrace/internal/kept"
	"github.com/vtrace/vtrace/internal/orchestrate"
	"github.com/vtrace/vtrace/internal/translate"
)

// DefaultRunDepth is how many traces of one query the deep pass replays.
const DefaultRunDepth = 15

// DefaultWatchdog bounds one replay in wall time.
const DefaultWatchdog = 20 * time.Second

// DefaultStall is the longest that a machine with five times as many processes as
// processors held up a goroutine that could go on, see docs/verdicts.md.
const DefaultStall = 100 * time.Millisecond

// Strategy is a way to choose the schedules of random runs.
type Strategy = orchestrate.Strategy

// DefaultStrategy is that of Options.Strategy: the one that has shown most, see docs/strategies.md.
const DefaultStrategy = orchestrate.StrategyPOS

// Options direct the passes. The zero value is the default everywhere. The
// passes do not modify it.
type Options struct {
	// Model says how the model is made. A pass that starts from a bundle takes
	// it from there if it is nil.
	Model *Model
	// Search bounds each search of the checker.
	Search Search
	// RunDepth is the number of traces that the deep pass replays for one
	// query, and of those that go on from them; 0 means DefaultRunDepth.
	RunDepth int
	// Disallow says how refuted traces are excluded: DisallowExact (also if
	// empty) or DisallowFNV.
	Disallow string
	// Watchdog bounds one replay in wall time; 0 means DefaultWatchdog. It is
	// a backstop only: what blocks under control is seen at once.
	Watchdog time.Duration

	// Runs is how many runs under random schedules a deep pass does besides those that it follows in the model; 0 means
	// ExploreRuns.
	Runs int

	// Stall is how long a goroutine may be held while time passes for a stall to be
	// short; 0 means DefaultStall. It grades findings, and leaves none out.
	Stall time.Duration
	// Budget bounds the time of a check or of a single pass, from when the program is loaded
	// and the packages that it imports are compiled; 0 is no bound. When it is spent the result
	// is what is known, and says what was cut.
	Budget time.Duration
	// Interrupt, once closed, ends a check as a budget that is spent does. While the program is loaded there is
	// nothing to show: the error is context.Canceled.
	Interrupt <-chan struct{}

	// Cache, if not nil, keeps what the first and the second pass of a check have made,
	// whole, until the check is finished: one that was killed goes on from there.
	Cache *kept.Cache
	// Results, if not nil, keeps the results of whole checks. A check of which nothing has
	// changed that its entry can reach takes its result from there, and an Unchanged event
	// says so. It is not used with an Engine of the caller's.
	Results *kept.Results
	// Partial, if not nil, is called during a deep pass with what is known so far, each
	// time that an error has proved real. It is a bundle of a deep pass in which what is
	// still open is possible.
	Partial func(*artifact.Bundle)

	// Strategy chooses the schedules of random runs that neither follow the model nor are guided by a
	// plan; "" means DefaultStrategy.
	Strategy Strategy

	// VendorDeps puts the sources of the modules that the program depends on into the bundle,
	// as far as it needs them to be built: later passes and replays then need no network and
	// no module cache. They are taken from the module cache; a *ModulesError says which are
	// not there. It is of no use to a pass that starts from a bundle.
	VendorDeps bool
	// Portable has Translate make a model that UPPAAL and Spin can answer the queries of, see
	// translate.Options. No pass goes on from it.
	Portable bool
	// Dump, if not nil, is what Translate writes a stage of the translation to, as text, also if no model comes of
	// it: DumpStage, one of translate.Stages. Where the model was made more than once, it is the last one's.
	Dump      io.Writer
	DumpStage string

	// Flags are build flags for a pass that starts from a bundle. Of the flags in a bundle,
	// only -tags and a few more that can do no harm are obeyed; another one is a
	// *RefusedError unless it is here too. Flags that the bundle does not have are added.
	Flags []string
	// Root is the directory of the program, if it is at hand: it is used in
	// place of the copy in the bundle if their files are the same. Programs
	// whose modules have local replacements, or a vendor directory, need it, unless the bundle
	// was made with VendorDeps.
	Root string
	// Sandbox has the program run in what the system offers to keep it from what the caller
	// may do: SandboxPreferred or SandboxRequired; "" is without. It is not recorded in the
	// bundle.
	Sandbox string
	// Record, if not nil, is what a recording of a replay is written to, in the form that package recording reads.
	Record io.Writer
	// Processors is how many processors a pass uses at once, about; 0 means all that the Go runtime
	// uses. Who runs several checks at once gives each its part. It changes no answer, but how far a
	// check comes within its budget.
	Processors int
	// Builds, if not nil, are the instrumented programs that the check shares with those of other entry
	// points; nil: its own.
	Builds *Builds
	// Engine searches the models; nil means the embedded one.
	Engine check.Engine
	// Progress, if not nil, is called with what happens, from the goroutine of
	// the pass.
	Progress func(Event)

	// sandbox is that of all runs, nil if there is none, or it was not tried yet.
	sandbox      *orchestrate.Sandbox
	triedSandbox bool
	// newSandbox, if not nil, is in place of orchestrate.NewSandbox: tests have a system
	// without one so.
	newSandbox func(ctx context.Context, env []string, goCmd string) (*orchestrate.Sandbox, error)
	// compile, if not nil, is in place of orchestrate.Compile: tests have a slow one so.
	compile func(ctx context.Context, target orchestrate.Target, packages []string, opts orchestrate.BuildOptions) error
	// from are where searches begin; none: at the start.
	from [][]check.Step
	// completing: a model that lacks what runs do is completed, and checked again.
	completing bool
	// See bounded.
	soft  context.Context
	start time.Time
	// See withEngines: they are nil if there is one engine at a time.
	model     context.Context
	stopModel context.CancelCauseFunc
	timing    *engineTiming // nil: defaultTiming
	// loaded, if not nil, is called with the program of a first pass, and the options for
	// it. It returns proved, which waits until it is known whether few runs prove the program.
	loaded   func(*program, Options) func(context.Context) bool
	proved   func(context.Context) bool
	portable bool            // Portable, of Translate alone
	dump     *translate.Dump // likewise, nil for none
	// shared, if not nil, keeps what the rounds of a check need alike.
	shared *shared
	// raced, if not nil, is called when runs have shown a data race that was not looked for.
	raced func(race string)
	// superseded, if not nil, is closed when another check follows, which needs some of the budget: this one ends
	// at supersededShare of it.
	superseded <-chan struct{}
	// allotted: Budget is a part of the caller's.
	allotted bool
	// ends, if not nil, is set to whether some runs of a program end without an error, if it has one.
	ends *runsEnd
	// inScope: the program is one with smaller numbers already.
	inScope bool
}

// The ways to exclude refuted traces from the next search.
const (
	// DisallowExact gives the engine the refuted prefixes themselves.
	DisallowExact = "exact"
	// DisallowFNV keeps a hash of the path in the model, and rewrites the
	// queries to exclude the hashes of refuted traces: the form that any
	// engine for UPPAAL's language understands. Two paths may have one hash.
	DisallowFNV = "fnv"
)

type (
	// Model says how the model of a program is made. It is recorded in the bundle.
	Model = artifact.ModelOptions
	// Search bounds a search; zero means no bound.
	Search = artifact.SearchOptions
)

func (o Options) record(pass string) (json.RawMessage, error) {
	r := artifact.Options{Model: *o.Model, Search: o.Search}
	switch pass {
	case artifact.PassSecond:
		r.Disallow = o.Disallow
	case artifact.PassDeep:
		r.Disallow, r.RunDepth = o.Disallow, o.RunDepth
	}
	return json.Marshal(r)
}

// ownModel is a copy of how the model is made, which may be changed.
func (o Options) ownModel() Model {
	if o.Model == nil {
		return Model{}
	}
	return *o.Model
}

// maxBound bounds the bounds of a model: the search of a larger one has no end.
const maxBound = 1 << 16

// checkModel says what is wrong with how a model is made.
func checkModel(m *Model) error {
	v := reflect.ValueOf(m.Bounds)
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Int && (f.Int() < 0 || f.Int() > maxBound) {
			return &OptionError{Option: "bounds", Reason: fmt.Sprintf("%s is %d, and not from 0 to %d", strings.ToLower(v.Type().Field(i).Name), f.Int(), maxBound)}
		}
	}
	return nil
}

// withDefaults fills in what is zero and says what is wrong.
func (o Options) withDefaults() (Options, error) {
	for _, n := range []struct {
		name  string
		value int64
	}{
		{"run depth", int64(o.RunDepth)}, {"watchdog", int64(o.Watchdog)}, {"stall", int64(o.Stall)}, {"budget", int64(o.Budget)},
		{"memory", o.Search.MaxMemory}, {"states", int64(o.Search.MaxStates)}, {"timeout", int64(o.Search.Timeout)},
	} {
		if n.value < 0 {
			return o, &OptionError{Option: n.name, Reason: fmt.Sprintf("%d is negative", n.value)}
		}
	}
	if o.Model != nil {
		if err := checkModel(o.Model); err != nil {
			return o, err
		}
	}
	if err := o.checkSandbox(); err != nil {
		return o, err
	}
	switch c := o.Cache; {
	case c == nil:
	case c.Dir == "":
		return o, &OptionError{Option: "cache", Reason: "has no directory"}
	case c.MaxBytes < 0:
		return o, &OptionError{Option: "size of the cache", Reason: fmt.Sprintf("%d is negative", c.MaxBytes)}
	}
	switch r := o.Results; {
	case r == nil:
	case r.Dir == "":
		return o, &OptionError{Option: "results", Reason: "have no directory"}
	case r.MaxBytes < 0:
		return o, &OptionError{Option: "size of results", Reason: fmt.Sprintf("%d is negative", r.MaxBytes)}
	}
	if o.RunDepth == 0 {
		o.RunDepth = DefaultRunDepth
	}
	if o.Watchdog == 0 {
		o.Watchdog = DefaultWatchdog
	}
	if o.Stall == 0 {
		o.Stall = DefaultStall
	}
	if o.Strategy == "" {
		o.Strategy = DefaultStrategy
	}
	if err := o.Strategy.Check(); err != nil {
		return o, &OptionError{Option: "strategy", Reason: err.Error()}
	}
	switch o.Disallow {
	case "":
		o.Disallow = DisallowExact
	case DisallowExact, DisallowFNV:
	default:
		return o, &OptionError{Option: "disallow", Reason: fmt.Sprintf("no way %q to disallow traces", o.Disallow)}
	}
	return o, nil
}

// inherit fills in the options that come from the bundle the pass starts from.
func (o Options) inherit(b *artifact.Bundle) (Options, error) {
	o, err := o.withDefaults()
	if o.Model != nil || err != nil {
		return o, err
	}
	r, err := recordedOptions(b)
	if err != nil {
		return o, err
	}
	if r.Model.Flags, err = buildFlags(r.Model.Flags, o.Flags); err != nil {
		return o, err
	}
	o.Model = &r.Model
	return o, nil
}

func (o Options) engine() check.Engine {
	if o.Engine != nil {
		return o.Engine
	}
	return check.Embedded{}
}

// search are the bounds of a search that begins now. Its timeout and the budget bound the traces as well: to build one of a
// million steps takes longer than to find it.
func (o Options) search() check.Options {
	out := check.Options{From: o.from, MaxMemory: o.Search.MaxMemory, MaxStates: o.Search.MaxStates, Timeout: o.Search.Timeout}
	if o.Search.NoReductions {
		out.Reductions = check.NoReductions()
	}
	if o.Budget > 0 && !o.start.IsZero() {
		out.Deadline = o.start.Add(o.Budget)
	}
	if t := o.Search.Timeout; t > 0 {
		if end := time.Now().Add(t); out.Deadline.IsZero() || end.Before(out.Deadline) {
			out.Deadline = end
		}
		out.Timeout = t - t/10
	}
	return out
}

// Version is the version of vtrace as its manifests have it: that of the
// module it was built from, or "devel".
func Version() string {
	const path = "github.com/vtrace/vtrace"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range append(info.Deps, &info.Main) {
			if m.Path == path && m.Version != "" && m.Version != "(devel)" {
				return m.Version
			}
		}
	}
	return "devel"
}
