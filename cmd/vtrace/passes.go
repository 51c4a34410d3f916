package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/vtrace/vtrace"
	"github.com/vtrace/vtrace/artifact"
	"github.com/vtrace/vtrace/internal/driver"
	"github.com/vtrace/vtrace/internal/earlier"
	"github.com/vtrace/vtrace/internal/output"
	"github.com/vtrace/vtrace/internal/pass"
	"github.com/vtrace/vtrace/internal/translate"
	"github.com/vtrace/vtrace/report"
)

func version() string { return pass.Version() }

// settings are the flags of the passes.
type settings struct {
	out     string
	json    bool
	stream  bool // as lines of JSON
	timing  bool
	verbose bool

	entry      string
	buildFlags string
	tags       string
	deps       string
	vendorDeps bool

	categories string
	bounds     boundsFlag
	strict     bool
	keepGoing  bool
	everyLine  bool
	race       bool
	fromProto  bool

	memory     sizeFlag
	states     int
	timeout    time.Duration
	loading    time.Duration
	reductions bool
	runDepth   int
	strategy   string
	watchdog   time.Duration
	budget     time.Duration
	stall      time.Duration
	disallow   string
	root       string
	cache      string
	sandbox    sandboxFlag

	logs      logs
	accept    acceptance
	sign      string
	verifyKey string
}

func (s *settings) output(fs *flag.FlagSet) {
	fs.StringVar(&s.out, "o", "", "write the bundle to `FILE` (.vtz, or a directory); \"-\" writes none")
	fs.Var(&jsonFlag{s}, "json", "print the result as JSON; -json=stream prints a line of JSON for each entry point as soon as it is known; \"vtrace help -schema\" prints the JSON Schema of both")
	s.signing(fs)
	fs.BoolVar(&s.timing, "timing", false, "print what each stage takes")
	fs.BoolVar(&s.verbose, "v", false, "say on standard error, in lines, what is being done")
}

// progress shows what happens, as the flags say.
func (s *settings) progress(c *call) *progress {
	p := newProgress(c.stderr, s.timing)
	p.verbose = s.verbose
	return p
}

func (s *settings) program(fs *flag.FlagSet) {
	fs.StringVar(&s.entry, "entry", "", "entry point: main, which is the default, or the name of a test function; of check also all, which is the default where there is no main")
	s.building(fs)
}

// building are the flags of how a program is built, and what of it is checked.
func (s *settings) building(fs *flag.FlagSet) {
	fs.StringVar(&s.buildFlags, "flags", "", "build flags of the go command, separated by blanks")
	fs.DurationVar(&s.loading, "load-timeout", defaultLoading, "bound the time in which the packages are loaded, before the budget begins: the go command lists them, and compiles what they import; 0 is no bound")
	fs.StringVar(&s.tags, "tags", "", "build with these tags, separated by commas: short for -flags -tags=`TAGS`")
	fs.StringVar(&s.deps, "deps", "", "check and instrument also the packages of other modules that match `PATTERNS`, as in golang.org/x/sync/..., separated by commas; all: every one that is not of the standard library")
}

func (s *settings) vendoring(fs *flag.FlagSet) {
	fs.BoolVar(&s.vendorDeps, "vendor-deps", false, "put the modules that the program depends on into the bundle, from the module cache or from vendor, so that later passes and replays of it need neither a network nor a module cache")
}

func (s *settings) model(fs *flag.FlagSet) {
	fs.StringVar(&s.categories, "categories", "", "ask the queries of these categories only, separated by commas: "+strings.Join(vtrace.QueryCategories(), ", "))
	fs.Var(&s.bounds, "bound", "set a bound of the model, `NAME=N`; may be repeated; the bounds are "+strings.Join(boundNames(), ", "))
	fs.BoolVar(&s.strict, "strict", false, "make every approximation of the translation an error")
	fs.BoolVar(&s.keepGoing, "continue", false, "go on where the program has constructs that cannot be translated")
	fs.BoolVar(&s.everyLine, "every-line", false, "guard every statement, not only the points of the model")
	fs.BoolVar(&s.race, "race", false, fmt.Sprintf("look for data races in all replays, and in %d runs under random schedules", pass.RaceRuns))
	fs.BoolVar(&s.fromProto, "from-proto", false, "search the Proto model in the first pass")
}

// defaultBudget is the time that the check of an entry point takes at most.
const defaultBudget = time.Minute

// defaultLoading is the time that loading takes at most: a module with hundreds of dependencies that were
// never compiled on the machine takes some minutes.
const defaultLoading = 10 * time.Minute

// functionBudget is the time that the check of a function takes at most, with all its choices of values.
const functionBudget = 20 * time.Second

// defaultMemory is the memory that a search of a program's model takes at most,
// so that one that is too large comes to an end.
const defaultMemory = 2 << 30

// reductionsUsage says what -reductions does, wherever there is a search.
const reductionsUsage = "explore less in a search where no verdict can change; -reductions=false visits every state"

// watchdogFlag declares -watchdog, wherever a program is run.
func (s *settings) watchdogFlag(fs *flag.FlagSet) {
	fs.DurationVar(&s.watchdog, "watchdog", pass.DefaultWatchdog, "give up a run that does not go on: one that follows a plan, as a replay does, after so much time; another one when it has come to no guard for so long")
}

func (s *settings) search(fs *flag.FlagSet) {
	s.memory = defaultMemory
	fs.Var(&s.memory, "memory", "bound the memory of a search, as in 500M or 2G; 0 is no bound")
	fs.IntVar(&s.states, "states", 0, "bound the number of states of a search")
	fs.DurationVar(&s.timeout, "timeout", 0, "bound the time of a search, with the building of its traces")
	fs.BoolVar(&s.reductions, "reductions", true, reductionsUsage)
}

func (s *settings) replay(fs *flag.FlagSet) {
	fs.DurationVar(&s.stall, "stall", pass.DefaultStall, "a goroutine that is held for longer while time passes is a long stall, which findings say")
	fs.DurationVar(&s.budget, "budget", defaultBudget, "bound the time for each entry point, once it is loaded and the packages that it imports are compiled; what is known then is the result; 0 is no bound")
	s.choosing(fs)
	fs.IntVar(&s.runDepth, "run-depth", pass.DefaultRunDepth, "number of traces to replay for one query")
	s.watchdogFlag(fs)
	fs.StringVar(&s.disallow, "disallow", pass.DisallowExact, "how to exclude refuted traces: exact, or fnv")
	s.inSandbox(fs)
}

// choosing is the flag of how schedules are chosen.
func (s *settings) choosing(fs *flag.FlagSet) {
	fs.StringVar(&s.strategy, "strategy", string(pass.DefaultStrategy), "how random schedules are chosen: "+strings.Join(strategyNames(), ", ")+"; pct:N has depth N, delay:N has N delays")
}

// checkStrategy says what is wrong with -strategy. The passes that have no such flag leave it empty.
func (s *settings) checkStrategy() error {
	if s.strategy == "" {
		return nil
	}
	if err := vtrace.Strategy(s.strategy).Check(); err != nil {
		return fmt.Errorf("%w: -strategy: %w", errUsage, err)
	}
	return nil
}

// strategyNames are the names of the strategies.
func strategyNames() (names []string) {
	for _, s := range vtrace.Strategies() {
		names = append(names, string(s))
	}
	return names
}

// trusted are the build flags for a program that a bundle, or a test from one, names.
func (s *settings) trusted(fs *flag.FlagSet) {
	fs.StringVar(&s.buildFlags, "flags", "", "build flags of the go command, separated by blanks; of those in the bundle only -tags and others that do no harm are obeyed, unless they are given here too")
}

// flags are the build flags that were given.
func (s *settings) flags() []string {
	all := strings.Fields(s.buildFlags)
	if s.tags != "" {
		all = append(all, "-tags="+s.tags)
	}
	return all
}

// resultsVariable is the environment variable that says where results are kept.
const resultsVariable = earlier.ResultsVariable

// noResults is the -cache that keeps none.
const noResults = earlier.NoResults

func (s *settings) results(fs *flag.FlagSet) {
	fs.StringVar(&s.cache, "cache", earlier.ResultsDir(), "keep results in `DIR`, or off: an entry point that can reach nothing that has changed since it was checked is not checked again; "+resultsVariable+" in the environment sets the default")
}

func (s *settings) rootDir(fs *flag.FlagSet) {
	fs.StringVar(&s.root, "root", "", "directory of the program, used if it holds the files of the bundle")
}

// source is the program that the arguments name.
func (s *settings) source(pattern string) vtrace.Source {
	return vtrace.Package(pattern, vtrace.Entry(s.entry), vtrace.Flags(s.flags()...), vtrace.Deps(s.dependencies()...), vtrace.LoadTimeout(s.loading))
}

// dependencies are the patterns of -deps.
func (s *settings) dependencies() []string {
	if s.deps == "" {
		return nil
	}
	return strings.Split(s.deps, ",")
}

// options turns the flags into options. newModel is set for the passes that
// make a model from a program, and not from a bundle.
func (s *settings) options(newModel bool, rep *progress) ([]vtrace.Option, error) {
	if s.disallow != "" && s.disallow != pass.DisallowExact && s.disallow != pass.DisallowFNV {
		return nil, fmt.Errorf("%w: -disallow is exact or fnv", errUsage)
	}
	if err := s.checkStrategy(); err != nil {
		return nil, err
	}
	opts := []vtrace.Option{
		vtrace.MaxMemory(int64(s.memory)), vtrace.MaxStates(s.states), vtrace.Timeout(s.timeout),
		vtrace.RunDepth(s.runDepth), vtrace.WithStrategy(vtrace.Strategy(s.strategy)), vtrace.Watchdog(s.watchdog), vtrace.Budget(s.budget), vtrace.Stall(s.stall), vtrace.Root(s.root), vtrace.Sandbox(string(s.sandbox)),
		vtrace.Progress(rep.event),
	}
	if !newModel {
		opts = append(opts, vtrace.BuildFlags(s.flags()...))
	}
	if s.cache != "" && s.cache != noResults {
		opts = append(opts, vtrace.Results(s.cache, 0))
	}
	if s.disallow == pass.DisallowFNV {
		opts = append(opts, vtrace.DisallowFNV())
	}
	if !s.reductions {
		opts = append(opts, vtrace.NoReductions())
	}
	if newModel {
		opts = append(opts, vtrace.WithBounds(s.bounds.ModelBounds))
		if s.categories != "" {
			opts = append(opts, vtrace.Categories(strings.Split(s.categories, ",")...))
		}
		for _, o := range []struct {
			set bool
			opt vtrace.Option
		}{{s.strict, vtrace.Strict()}, {s.keepGoing, vtrace.Continue()}, {s.everyLine, vtrace.EveryLine()}, {s.race, vtrace.Races()}, {s.fromProto, vtrace.FromProto()}, {s.vendorDeps, vtrace.VendorDeps()}} {
			if o.set {
				opts = append(opts, o.opt)
			}
		}
	}
	return opts, nil
}

// runPass parses the flags that declare adds, runs a pass and reports.
func runPass(c *call, newModel bool, declare func(*settings, *flag.FlagSet), do func(ctx context.Context, arg string, s *settings, opts []vtrace.Option) (*vtrace.Bundle, error)) (int, error) {
	var s settings
	fs := c.flags()
	s.output(fs)
	declare(&s, fs)
	args, err := c.parse(fs, 1, 1)
	if err != nil {
		return 0, err
	}
	return c.one(&s, args[0], newModel, do)
}

// one runs a pass, or all of them, on one program and reports.
func (c *call) one(s *settings, arg string, newModel bool, do func(ctx context.Context, arg string, s *settings, opts []vtrace.Option) (*vtrace.Bundle, error)) (int, error) {
	rep := s.progress(c)
	opts, err := s.options(newModel, rep)
	if err != nil {
		return 0, err
	}
	if err := s.writable(); err != nil {
		return 0, err
	}
	k := s.keeper()
	if newModel && len(c.program) > 0 {
		opts = append(opts, vtrace.Args(c.program...))
	}
	if err := s.accept.begin(); err != nil {
		return 0, err
	}
	if err := s.logs.begin(c.stdout, arg, s.json); err != nil {
		return 0, err
	}
	defer s.logs.end()
	lines := c.lines(s)
	if err := lines.begin(1); err != nil {
		return 0, err
	}
	start := time.Now()
	b, err := do(c.hard(), arg, s, append(opts, append(k.options(), vtrace.Interrupt(c.ctx.Done()))...))
	rep.done()
	if err != nil {
		return 0, err
	}
	defer k.done(b)
	// What was found is printed even if it cannot be saved.
	path, saveErr := s.save(b)
	accepted := s.accept.of(b, c.stderr)
	s.accept.failed = s.accept.failed || c.ctx.Err() != nil
	code := exitCode(b, accepted)
	saveErr = errors.Join(saveErr, s.logs.add(report.Result{Entry: b.Manifest().Entry, Bundle: b, Took: time.Since(start), Accepted: accepted}, true), s.accept.end(c.stderr))
	if s.json {
		r := resultOf(b, path, accepted)
		r.Unchanged = rep.unchanged != nil
		r.Unsandboxed, r.Signature = rep.without, s.signature(path)
		if s.stream {
			return code, errors.Join(lines.entry(&r), lines.end(code), saveErr)
		}
		return code, errors.Join(encode(c.stdout, output.SingleOutput{Version: output.OutputVersion, EntryOutput: r}), saveErr)
	}
	err = writeText(c.stdout, b, path, accepted)
	if sig := s.signature(path); sig != "" {
		fmt.Fprintf(c.stdout, "signature: %s\n", sig)
	}
	if err == nil && rep.unchanged != nil {
		_, err = fmt.Fprintf(c.stdout, "\n%s\n", unchangedText(rep.unchanged))
	}
	rep.writeUnsandboxed(c.stdout)
	return code, errors.Join(err, saveErr)
}

// checkFlags declares the flags of a check, and returns that which names the file of its settings.
func checkFlags(fs *flag.FlagSet, s *settings, a *several) (config *string) {
	s.output(fs)
	s.program(fs)
	s.model(fs)
	s.search(fs)
	s.replay(fs)
	s.results(fs)
	s.vendoring(fs)
	s.logs.register(fs)
	s.accept.register(fs)
	fs.BoolVar(&a.list, "list", false, "list the entry points and do nothing else")
	fs.IntVar(&a.parallel, "parallel", 0, "check so many of several entry points at once, each with its part of the processors; 0 is one for two processors")
	fs.StringVar(&a.run, "run", "", "of several entry points, those with names that match this `REGEXP`")
	fs.StringVar(&a.since, "changed-since", "", "check only entry points that can reach something that has changed since the `REVISION` of git, committed or not; the others are named")
	fs.BoolVar(&a.functions.on, "functions", false, "check every function that uses concurrency on its own, by tests that are written for it; no test of the packages is run")
	fs.Var((*numbersFlag)(&a.functions.numbers), "numbers", "of -functions: the `VALUES` of numbers that matter, smallest first, separated by commas (default 0,1,2,3,-1)")
	fs.IntVar(&a.functions.valuations, "valuations", driver.DefaultValuations, "of -functions: call each function with so many choices of values at most")
	return configFlag(fs)
}

// given reports whether a flag is set on the command line.
func given(fs *flag.FlagSet, name string) (is bool) {
	fs.Visit(func(f *flag.Flag) { is = is || f.Name == name })
	return is
}

func runCheck(c *call) (int, error) {
	var s settings
	var a several
	fs := c.flags()
	file := checkFlags(fs, &s, &a)
	args, err := c.parse(fs, 1, 1)
	if err != nil {
		return 0, err
	}
	if a.parallel < 0 {
		return 0, fmt.Errorf("%w: -parallel is at least 0", errUsage)
	}
	a.configFile = configFile(*file, args[0])
	if a.config, err = findConfig(*file, args[0]); err != nil {
		return 0, err
	}
	if err := a.config.apply(fs, &s); err != nil {
		return 0, err
	}
	if a.config != nil && s.verbose {
		fmt.Fprintf(c.stderr, "vtrace: settings of %s\n", shorten(a.config.path))
	}
	if a.functions.on {
		if !given(fs, "budget") {
			s.budget = functionBudget
		}
		return c.checkFunctions(&s, &a, args[0])
	}
	s.accept.part = a.since != "" || a.run != "" || s.entry != "" && s.entry != allEntries
	if a.list || a.run != "" || a.since != "" || s.entry == allEntries || strings.Contains(args[0], "...") {
		return c.checkAll(&s, &a, args[0])
	}
	one := s
	var skip string
	var budget time.Duration
	if a.config != nil {
		skip, budget = a.config.of(packageOf(args[0]), cmp.Or(s.entry, "main"))
	}
	if skip != "" && s.entry == "" {
		a.main = true
		return c.checkAll(&s, &a, args[0]) // which names what is left out
	}
	if budget != 0 {
		one.budget = budget
	}
	code, err := c.one(&one, args[0], true, func(ctx context.Context, arg string, s *settings, opts []vtrace.Option) (*vtrace.Bundle, error) {
		return vtrace.Check(ctx, s.source(arg), opts...)
	})
	if s.entry == "" && len(c.program) == 0 && errors.Is(err, vtrace.ErrNoEntry) {
		s.entry = allEntries // a package without main: all of its tests
		return c.checkAll(&s, &a, args[0])
	}
	return code, err
}

func runFirst(c *call) (int, error) {
	return runPass(c, true, func(s *settings, fs *flag.FlagSet) {
		s.program(fs)
		s.model(fs)
		s.search(fs)
		s.vendoring(fs)
	}, func(ctx context.Context, arg string, s *settings, opts []vtrace.Option) (*vtrace.Bundle, error) {
		return vtrace.FirstPass(ctx, s.source(arg), opts...)
	})
}

func runSecond(c *call) (int, error) {
	return runPass(c, false, func(s *settings, fs *flag.FlagSet) {
		s.search(fs)
		s.rootDir(fs)
		s.trusted(fs)
		s.verifying(fs)
		fs.StringVar(&s.disallow, "disallow", pass.DisallowExact, "how the deep pass will exclude refuted traces: exact, or fnv")
	}, func(ctx context.Context, arg string, s *settings, opts []vtrace.Option) (*vtrace.Bundle, error) {
		b, err := s.load(arg)
		if err != nil {
			return nil, err
		}
		return vtrace.SecondPass(ctx, b, opts...)
	})
}

func runDeep(c *call) (int, error) {
	return runPass(c, false, func(s *settings, fs *flag.FlagSet) {
		s.search(fs)
		s.replay(fs)
		s.rootDir(fs)
		s.trusted(fs)
		s.verifying(fs)
	}, func(ctx context.Context, arg string, s *settings, opts []vtrace.Option) (*vtrace.Bundle, error) {
		b, err := s.load(arg)
		if err != nil {
			return nil, err
		}
		return vtrace.DeepPass(ctx, b, opts...)
	})
}

// writable reports, before the work, that its result cannot be written.
func (s *settings) writable() error {
	if _, err := s.signingKey(); err != nil {
		return err
	}
	switch s.out {
	case "":
		return refuseLinks()
	case "-":
		return nil
	}
	dir := filepath.Dir(filepath.Clean(s.out))
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is not a directory", dir)
	}
	if err != nil {
		return fmt.Errorf("-o: %w", err)
	}
	return nil
}

// save writes the bundle to where the flags say, or else below .vtrace, and
// returns its path: "" if it was not written.
func (s *settings) save(b *vtrace.Bundle) (string, error) { return s.saveTo(s.out, b) }

// saveTo is save with another -o.
func (s *settings) saveTo(path string, b *vtrace.Bundle) (string, error) {
	switch path {
	case "-":
		return "", nil
	case "":
		if err := makeBundleDir(); err != nil {
			return "", fmt.Errorf("save: %w", err)
		}
		path = filepath.Join(bundleDir, bundleName(b))
	}
	if err := s.write(b, path); err != nil {
		return "", err
	}
	return path, nil
}

// bundleDir is where bundles go that nobody has named.
const bundleDir = ".vtrace"

// makeBundleDir makes it, out of sight of git. A repository that brings it along has nothing written elsewhere.
func makeBundleDir() (err error) {
	if err := refuseLinks(); err != nil {
		return err
	}
	root, err := os.OpenRoot(".")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	if err := root.Mkdir(bundleDir, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	// What is there stays as it is.
	f, err := root.OpenFile(filepath.Join(bundleDir, ignoreName), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, os.ErrExist) {
		return nil
	} else if err != nil {
		return err
	}
	_, err = f.WriteString("*\n")
	return errors.Join(err, f.Close())
}

// ignoreName is the file that keeps bundleDir out of sight of git.
const ignoreName = ".gitignore"

// refuseLinks reports that bundleDir, or what is always in it, leads elsewhere.
func refuseLinks() error {
	for _, name := range []string{bundleDir, filepath.Join(bundleDir, ignoreName), filepath.Join(bundleDir, keptDir)} {
		if isLink(name) {
			return fmt.Errorf("%s is a symbolic link, and nothing is written where it leads: remove it, or say with -o where to write", name)
		}
	}
	return nil
}

func isLink(name string) bool {
	info, err := os.Lstat(name)
	return err == nil && info.Mode()&os.ModeSymlink != 0
}

// bundleName is the name of a bundle's file. It tells what was checked, and
// depends on nothing else.
func bundleName(b *vtrace.Bundle) string {
	m := b.Manifest()
	name := fmt.Sprintf("%s-%s-%s", filepath.Base(m.Entry.Package), m.Entry.Func, m.Source[:min(8, len(m.Source))])
	if m.Pass != artifact.PassDeep {
		name += "-" + m.Pass
	}
	if len(m.Changed) > 0 {
		name += "-changed"
	}
	return name + ".vtz"
}

func runTranslate(c *call) (int, error) {
	var s settings
	fs := c.flags()
	out := fs.String("o", "", "write the model to `FILE`; without it to standard output")
	format := fs.String("format", "xml", "`FORMAT` of the model: xml, or xta (text), whose queries are written beside FILE, with the ending .q")
	dump := fs.String("dump", "", "print a `STAGE` of the translation in place of the model: slice, what of the program matters; assumptions, what each attempt takes for true of the whole program; or solution, every location with what variables and memory can hold")
	portable := fs.Bool("portable", false, "ask only what UPPAAL and Spin can answer, too; what that leaves out is printed as approximations of the kind portable")
	fs.BoolVar(&s.timing, "timing", false, "print what each stage takes")
	s.program(fs)
	s.model(fs)
	args, err := c.parse(fs, 1, 1)
	if err != nil {
		return 0, err
	}
	if *format != "xml" && *format != "xta" {
		return 0, fmt.Errorf("%w: -format is xml or xta", errUsage)
	}
	if *format == "xta" && filepath.Ext(*out) == ".q" {
		return 0, fmt.Errorf("%w: the ending .q is that of the queries: name the model otherwise", errUsage)
	}
	if *dump != "" {
		if _, err := translate.ParseStage(*dump); err != nil {
			return 0, fmt.Errorf("%w: -dump: %w", errUsage, err)
		}
	}
	rep := s.progress(c)
	opts, err := s.options(true, rep)
	if err != nil {
		return 0, err
	}
	if *portable {
		opts = append(opts, vtrace.Portable())
	}
	var stage bytes.Buffer
	if *dump != "" {
		opts = append(opts, vtrace.Dump(*dump, &stage))
	}
	b, err := vtrace.Translate(c.ctx, s.source(args[0]), opts...)
	rep.done()
	if *dump != "" {
		return exitNothing, errors.Join(err, writeTo(c, stage.Bytes(), *out))
	}
	if err != nil {
		return 0, err
	}
	for _, a := range b.Sidecar().Approximations {
		fmt.Fprintf(c.stderr, "%s:%d:%d: %s (%s): %s\n", a.File, a.Line, a.Col, a.Kind, a.Direction, a.Reason)
	}
	if *format == "xta" {
		return exitNothing, writeTextual(c, b.Model(), *out)
	}
	return exitNothing, writeTo(c, b.Model(), *out)
}

// writeTo writes a text to a file, or to standard output if that has no name.
func writeTo(c *call, text []byte, out string) error {
	if out == "" {
		_, err := c.stdout.Write(text)
		return err
	}
	return os.WriteFile(out, text, 0o644)
}
