package parse

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/vtrace/vtrace/internal/parallel"
	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/source"
	"golang.org/x/tools/go/packages"
)

// Options say what to guard and how the runtime is imported.
type Options struct {
	// Accesses are the numbers of the Stmt sites that are scheduling points.
	Accesses []int
	// EveryLine guards all other statements too, as lines that are logged.
	EveryLine bool
	// Races records accesses to memory that goroutines may share, so that the
	// runtime finds data races. They are no guards.
	Races bool
	// Shared makes a program that the checks of several entry points can run, each in its own way:
	// all statements and all writes behind reads have guards, of which each run names those
	// that stop (orcruntime.Config.Guards), accesses are recorded if a run asks for it, and whether the
	// entry makes bubbles is told to the runtime by Overlay.Bubbles. What packages do with each run they
	// do if they are of the program that is run. The index must be that of SharedIndex, which may be of
	// a program that has more packages. Accesses, EveryLine and Races have no meaning then.
	Shared bool
	// RuntimePath is the import path of the runtime; "" means "vtraceorc", a
	// package of the standard library that exists in the overlay only. Another
	// path must lie in the main module.
	RuntimePath string
	// RuntimeDir is the directory of the runtime, relative to the module root,
	// if RuntimePath is not one of the standard library.
	RuntimeDir string
}

// Diagnostic is a construct that is not guarded, and why.
type Diagnostic struct {
	File      string // relative to the module root
	Line, Col int
	Reason    string
	// Access: it is only an access to memory that is not recorded. No control
	// is lost by that, but races may go unseen.
	Access bool
	// Number: something is decided by a number that the clock shows. Nothing is lost by that
	// either, but another run may have another number.
	Number bool
	// Files: a call is several operations of the file system, and others use the same files. No control is lost by that,
	// but what comes between these operations is not seen.
	Files bool
	// Persists: what it is about is made once for a process, in the same way for each, and keeps from run to run
	// what runs do to it. A run in a process of its own has it as the program has.
	Persists bool
	// Reach is the number by which the runtime is told, with Races, that the statement
	// around is executed; 0 if it is not told.
	Reach int
	// decides is where the clock decides as a number, if it is about that.
	decides token.Pos
}

func (d Diagnostic) String() string {
	return fmt.Sprintf("%s:%d:%d: %s", d.File, d.Line, d.Col, d.Reason)
}

// report adds a diagnostic.
func (o *Overlay) report(file string, line, col int, format string, args ...any) {
	o.Diagnostics = append(o.Diagnostics, Diagnostic{File: file, Line: line, Col: col, Reason: fmt.Sprintf(format, args...)})
}

// Index numbers the program points of a program, for Instrument and everybody
// else, but for those of other tests than the entry: see otherTests.
func Index(prog *source.Program) *sites.Index {
	pkgs := numbered(prog)
	other := otherTests(prog)
	for i, p := range pkgs {
		for j, f := range p.Files {
			is := func(d ast.Decl) bool { return other(p.Info, d) }
			if slices.ContainsFunc(f.Decls, is) {
				fewer := *f
				fewer.Decls = slices.DeleteFunc(slices.Clone(f.Decls), is)
				pkgs[i].Files[j] = &fewer
			}
		}
	}
	return sites.Number(prog.Fset, prog.Rel, pkgs, prog.Func)
}

// otherTests tells the declarations of tests that do not run with the entry of a program, since nothing names
// them: they have no points, and stay as they are. A package may have hundreds.
func otherTests(prog *source.Program) (is func(*types.Info, ast.Decl) bool) {
	if !prog.Test || prog.Func == nil {
		return func(*types.Info, ast.Decl) bool { return false }
	}
	unnamed := unnamedTests(prog)
	return func(info *types.Info, d ast.Decl) bool {
		fd, ok := d.(*ast.FuncDecl)
		if !ok {
			return false
		}
		f, ok := info.Defs[fd.Name].(*types.Func)
		return ok && f != prog.Func && unnamed[f]
	}
}

// unnamedTests are the tests that may be entries of a program and that nothing in it names.
func unnamedTests(prog *source.Program) map[*types.Func]bool {
	type key struct{ entries string }
	entries := prog.EntryFuncs()
	// Nothing in it fails, and who waits for another one waits for a walk over what is there already.
	tests, _ := source.Derive(context.Background(), prog, key{names(entries)}, func() (map[*types.Func]bool, error) {
		tests := map[*types.Func]bool{}
		for _, f := range entries {
			tests[f] = true
		}
		for _, p := range prog.Packages {
			for _, obj := range p.TypesInfo.Uses {
				if f, ok := obj.(*types.Func); ok {
					delete(tests, f)
				}
			}
		}
		return tests, nil
	})
	return tests
}

// SharedIndex numbers the points of a program for all entry points that its package has, and
// not for its own alone: the keys are those of Index, the numbers are not.
// It is the same index for all programs of a Set that have the same packages. The error is that of ctx.
func SharedIndex(ctx context.Context, prog *source.Program) (*sites.Index, error) {
	type key struct{ entries string }
	entries := prog.EntryFuncs()
	return source.Derive(ctx, prog, key{names(entries)}, func() (*sites.Index, error) {
		return sites.Number(prog.Fset, prog.Rel, numbered(prog), entries...), ctx.Err()
	})
}

// numbered are the packages of a program with the files that are numbered.
func numbered(prog *source.Program) []sites.Package {
	list := make([]sites.Package, 0, len(prog.Packages))
	for _, p := range prog.Packages {
		files := slices.DeleteFunc(slices.Clone(p.Syntax), func(f *ast.File) bool { return addedByCgo(prog, p, f) })
		list = append(list, sites.Package{Path: p.PkgPath, Files: files, Types: p.Types, Info: p.TypesInfo, ReadFile: prog.ReadFile})
	}
	return list
}

// addedByCgo: cgo has added the file to the package. The others that it
// generates have line directives and are sources under another name.
func addedByCgo(prog *source.Program, p *packages.Package, f *ast.File) bool {
	file := prog.Fset.Position(f.Package).Filename
	return file == prog.Fset.PositionFor(f.Package, false).Filename && filepath.Dir(file) != p.Dir && ast.IsGenerated(f)
}

// Instrument puts the guards into the packages of a program.
func Instrument(ctx context.Context, prog *source.Program, idx *sites.Index, opts Options) (*Overlay, error) {
	if opts.RuntimePath == "" {
		opts.RuntimePath = DefaultRuntimePath
	}
	facts, err := packageFactsOf(ctx, prog)
	if err != nil {
		return nil, fmt.Errorf("instrument: %w", err)
	}
	if opts.Shared {
		return instrumentShared(ctx, prog, idx, facts, opts)
	}
	var clock *clockUses
	if facts.givesTime {
		if clock, err = findClockUses(ctx, prog, facts.handlesLogs); err != nil {
			return nil, fmt.Errorf("instrument: %w", err)
		}
	}
	return instrument(ctx, prog, idx, facts, clock, opts)
}

// instrumentShared instruments a program with Options.Shared: what does not depend on its entry once for all programs
// that have the same packages.
func instrumentShared(ctx context.Context, prog *source.Program, idx *sites.Index, facts *packageFacts, opts Options) (*Overlay, error) {
	opts.Accesses, opts.EveryLine, opts.Races = allAccesses(idx), false, true
	clock := &sharedClockUses{elsewhere: func(token.Pos) bool { return false }}
	if facts.givesTime {
		var err error
		if clock, err = findSharedClockUses(ctx, prog, facts.handlesLogs); err != nil {
			return nil, fmt.Errorf("instrument: %w", err)
		}
	}
	form := func() (*Overlay, error) { return instrument(ctx, prog, idx, facts, clock.uses, opts) }
	type key struct {
		idx                     *sites.Index
		runtimePath, runtimeDir string
	}
	var common *Overlay
	var err error
	if clock.own {
		common, err = form()
	} else {
		common, err = source.Derive(ctx, prog, key{idx, opts.RuntimePath, opts.RuntimeDir}, form)
	}
	if err != nil {
		return nil, err
	}
	o := *common
	o.Files, o.Runtime = maps.Clone(o.Files), maps.Clone(o.Runtime)
	o.Bubbles = facts.bubbles && makesBubbles(prog)
	o.Diagnostics = slices.DeleteFunc(slices.Clone(o.Diagnostics), func(d Diagnostic) bool {
		return d.decides.IsValid() && clock.elsewhere(d.decides)
	})
	return &o, nil
}

// packageFacts are what the instrumenter knows of the packages of a program, whatever its entry is.
type packageFacts struct {
	clock       bool                     // the program reads the clock
	bubbles     bool                     // it does, and something in it calls synctest.Test
	givesTime   bool                     // something gives it a time
	handlesLogs bool                     // it has a handler of logs
	asyncTimers bool                     // it resets timers, whose channels have buffers
	asValues    map[string]bool          // see methodValues
	plain       map[string]*plainPackage // of other modules
	testType    types.Type               // see testTypeOf
}

func packageFactsOf(ctx context.Context, prog *source.Program) (*packageFacts, error) {
	type key struct{}
	return source.Derive(ctx, prog, key{}, func() (*packageFacts, error) {
		own := map[string]bool{}
		for _, p := range prog.Packages {
			own[p.PkgPath] = true
		}
		plain, err := plainPackages(ctx, prog, own)
		if err != nil {
			return nil, err
		}
		async := false
		if uses(prog, isReset) {
			if async, err = prog.AsyncTimers(); err != nil {
				return nil, err
			}
		}
		clock := ReadsClock(prog)
		return &packageFacts{
			clock:       clock,
			bubbles:     clock && uses(prog, func(obj types.Object) bool { return isFunc(obj, "testing/synctest.Test") }),
			givesTime:   uses(prog, givesTime),
			handlesLogs: uses(prog, isLogRecord),
			asyncTimers: async,
			asValues:    methodValues(prog),
			plain:       plain,
			testType:    testTypeOf(prog.Packages),
		}, nil
	})
}

// memoryFacts are what the recorder of accesses knows of the packages of a program.
type memoryFacts struct {
	kept     map[string]bool // see keptTypes
	unlocked []types.Type    // see unlockedTypes
	// valueMethods are the names of methods of the program that take copies of their receivers.
	valueMethods map[string]bool
}

func memoryFactsOf(ctx context.Context, prog *source.Program) (*memoryFacts, error) {
	type key struct{}
	return source.Derive(ctx, prog, key{}, func() (*memoryFacts, error) {
		kept, err := keptTypes(ctx, prog)
		if err != nil {
			return nil, err
		}
		facts := &memoryFacts{kept: kept, unlocked: unlockedTypes(prog.Packages), valueMethods: map[string]bool{}}
		for _, p := range prog.Packages {
			for _, m := range valueMethods(p.Types) {
				_, name, _ := strings.Cut(m, ".")
				facts.valueMethods[name] = true
			}
		}
		return facts, nil
	})
}

// instrument puts the guards into the packages of a program, of which clock are the uses of the clock.
func instrument(ctx context.Context, prog *source.Program, idx *sites.Index, facts *packageFacts, clock *clockUses, opts Options) (*Overlay, error) {
	o, err := newOverlay(opts)
	if err != nil {
		return nil, err
	}
	o.Dependencies = prog.Dependencies
	in := &instrumenter{packageFacts: facts, memoryFacts: &memoryFacts{}, clockUses: clock, otherTest: otherTests(prog), prog: prog, idx: idx, opts: opts, overlay: o, accesses: map[sites.ID]bool{}, guarded: map[sites.ID]bool{}, own: map[string]bool{}, files: map[string]bool{}, atomicFuncs: map[string]bool{}}
	for _, s := range idx.Sites() {
		if s.Kind == sites.Atomic {
			in.atomicFuncs[s.Func] = true
		}
	}
	for _, p := range prog.Packages {
		in.own[p.PkgPath] = true
		for _, f := range p.Syntax {
			in.files[prog.Rel(prog.Fset.PositionFor(f.FileStart, false).Filename)] = true
		}
	}
	o.Bubbles = !opts.Shared && facts.bubbles && makesBubbles(prog)
	in.tellsTimes = opts.Races && clock != nil && len(clock.decides) > 0 && !initialisesTimes(prog)
	seeded, fromClock := seedsRandom(prog, in.clockUses)
	in.seeded, in.reseeded = seeded && !fromClock, fromClock
	if opts.Races {
		if in.memoryFacts, err = memoryFactsOf(ctx, prog); err != nil {
			return nil, fmt.Errorf("instrument: %w", err)
		}
	}
	for _, n := range opts.Accesses {
		s := idx.Site(sites.ID(n))
		if !s.Kind.IsAccess() {
			return nil, fmt.Errorf("access guard: site %d is no access to memory", n)
		}
		in.accesses[s.ID] = true
	}
	for i, p := range prog.Packages {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := in.pkg(p, i); err != nil {
			return nil, err
		}
	}
	in.account()
	o.sortDiagnostics()
	return o, nil
}

// allAccesses are the numbers of all statements, and of the writes of those that read first.
func allAccesses(idx *sites.Index) (out []int) {
	for _, s := range idx.Sites() {
		if s.Kind == sites.Stmt || s.Kind == sites.Store {
			out = append(out, int(s.ID))
		}
	}
	return out
}

// account reports the sites that should have a guard, have none, and have not
// been spoken of.
func (in *instrumenter) account() {
	type line struct {
		file string
		line int
	}
	spoken := map[line]bool{}
	for _, d := range in.overlay.Diagnostics {
		spoken[line{d.File, d.Line}] = spoken[line{d.File, d.Line}] || !d.Access && !d.Number
	}
	for _, s := range in.idx.Sites() {
		if in.guarded[s.ID] || s.Kind == sites.Start || spoken[line{s.File, s.Line}] || !in.files[s.File] {
			continue
		}
		if in.opts.Shared && s.Kind == sites.Store {
			continue // it is a guard where a model asks for it, and the program of that says so
		}
		if s.IsOp() || in.accesses[s.ID] {
			in.overlay.report(s.File, s.Line, s.Col, "%v: not guarded", s.Kind)
		}
	}
}

// instrumenter instruments a program.
type instrumenter struct {
	*packageFacts
	*memoryFacts
	prog     *source.Program
	idx      *sites.Index
	opts     Options
	overlay  *Overlay
	accesses map[sites.ID]bool
	guarded  map[sites.ID]bool
	own      map[string]bool // paths of the packages
	files    map[string]bool // of the packages, as sites name them
	// otherTest: see otherTests.
	otherTest func(*types.Info, ast.Decl) bool
	places    int // that touch memory, so far
	reaches   int // statements with something that is not guarded or recorded
	// atomicFuncs are the functions with atomic operations, by their paths. What stands
	// beside those is often meant to be ordered by them: each statement is a guard, but for those of localLoops.
	atomicFuncs map[string]bool
	seeded      bool       // the program decides by rand.Seed what math/rand gives it
	reseeded    bool       // it does so with what may be from the clock
	clockUses   *clockUses // nil if nothing gives it a time
	tellsTimes  bool       // runs are told when something may have given it one
}

// unit is what has one generated file: the files of a package, those of its
// tests in the package, or an external test package.
type unit struct {
	name    string // of the generated file
	dir     string // relative to the root
	guarded map[sites.ID]bool
	helpers map[string]bool
	clock   bool // it reads the clock
	counts  bool // it counts the goroutines
	// durations are the constants, in nanoseconds, in a program that may read the clock.
	durations map[int64]bool
	places    []placeInfo
	// vars are the statements that initialise variables anew, by rank in the
	// order of initialisation; zeros come before.
	zeros []string
	vars  map[int]string
	inits []string
}

// pkgRewriter rewrites one package.
type pkgRewriter struct {
	*instrumenter
	*packages.Package
	order  int
	prefix string // no identifier of the package starts with it
	units  map[string]*unit
	// shadowed are the predeclared identifiers that the package declares anew.
	shadowed map[string]bool
	inits    int
}

func (in *instrumenter) pkg(p *packages.Package, order int) error {
	w := &pkgRewriter{instrumenter: in, Package: p, order: order, units: map[string]*unit{}, shadowed: map[string]bool{}}
	w.choosePrefix()
	own := map[string]bool{}
	for _, f := range p.GoFiles {
		own[f] = true
	}
	files := append([]*ast.File(nil), p.Syntax...)
	sort.SliceStable(files, func(i, j int) bool { return w.filename(files[i]) < w.filename(files[j]) })
	plan := w.planInit(files, own)
	var edited []*ast.File
	for _, f := range files {
		if own[w.filename(f)] {
			edited = append(edited, f)
		} else {
			w.leave(f)
		}
	}
	for i, facts := range parallel.Map(len(edited), func(i int) *fileFacts { return w.fileFactsOf(edited[i]) }) {
		if err := w.rewriteFile(edited[i], facts, plan); err != nil {
			return err
		}
	}
	names := make([]string, 0, len(w.units))
	for name := range w.units {
		names = append(names, name)
	}
	sort.Strings(names)
	done := map[string]bool{}
	for _, name := range names {
		w.generate(w.units[name], plan, done)
	}
	return nil
}

func (w *pkgRewriter) filename(f *ast.File) string {
	return w.prog.Fset.PositionFor(f.FileStart, false).Filename
}

// choosePrefix finds a name that collides with nothing in the package.
func (w *pkgRewriter) choosePrefix() {
	const base = "zzorc"
	names := map[string]bool{}
	for _, f := range w.Syntax {
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				if strings.HasPrefix(id.Name, base) {
					names[id.Name] = true
				}
				if (types.Universe.Lookup(id.Name) != nil || id.Name == "init") && w.TypesInfo.Defs[id] != nil {
					w.shadowed[id.Name] = true
				}
			}
			return true
		})
	}
	w.prefix = base
	for i := 1; ; i++ {
		taken := false
		for name := range names {
			taken = taken || strings.HasPrefix(name, w.prefix)
		}
		if !taken {
			return
		}
		w.prefix = fmt.Sprintf("%sx%d", base, i)
	}
}

// leave reports the operations of a file that cannot be edited.
func (w *pkgRewriter) leave(f *ast.File) {
	for _, s := range w.idx.Sites() {
		if s.IsOp() && f.FileStart <= s.Pos && s.Pos < f.FileEnd {
			w.overlay.report(s.File, s.Line, s.Col, "%v in a file that is generated during the build (cgo): not guarded", s.Kind)
		}
	}
}

// place notes that a site has its guard in the files of the unit.
func (r *rewriter) place(id sites.ID) {
	r.unit.guarded[id] = true
	r.guarded[id] = true
}

// unitOf returns the unit that a file belongs to.
func (w *pkgRewriter) unitOf(file string) *unit {
	name := "zz_vtrace_gen.go"
	if strings.HasSuffix(file, "_test.go") {
		name = "zz_vtrace_gen_test.go"
		if strings.HasSuffix(w.Name, "_test") && w.ForTest != "" {
			name = "zz_vtrace_gen_x_test.go"
		}
	}
	u := w.units[name]
	if u == nil {
		u = &unit{
			name: name, dir: path.Dir(w.prog.Rel(file)),
			guarded: map[sites.ID]bool{}, helpers: map[string]bool{}, vars: map[int]string{}, durations: map[int64]bool{},
		}
		w.units[name] = u
	}
	return u
}

// fileFacts are what is known of a file before it is rewritten. They depend on no other file.
type fileFacts struct {
	// set are the expressions that are assigned to, or whose address is taken.
	set  map[ast.Expr]bool
	maps *mapGuards
	// behind are the expressions behind which their statement calls something.
	behind    map[ast.Expr]bool
	linknames map[string]*ast.Comment // functions that are linked by name
	// memory are the places of the file where memory is touched.
	memory    *memory
	durations []int64 // the constants, of a program that may read the clock
}

// fileFactsOf is for several goroutines at the same time.
func (w *pkgRewriter) fileFactsOf(f *ast.File) *fileFacts {
	facts := &fileFacts{
		set: setVariables(f), maps: findMapGuards(w.TypesInfo, f), behind: readsLater(w.TypesInfo, f), linknames: linknames(f),
		memory: findMemory(w.Types, w.TypesInfo, w.own, w.plain, w.unlocked, w.valueMethods, f),
	}
	if w.clock || w.opts.Shared {
		facts.durations = constantDurations(w.TypesInfo, f)
	}
	return facts
}

// rewriteFile rewrites one file.
func (w *pkgRewriter) rewriteFile(f *ast.File, facts *fileFacts, plan *initPlan) error {
	name := w.filename(f)
	src, err := w.prog.ReadFile(name)
	if err != nil {
		return fmt.Errorf("instrument: %w", err)
	}
	tf := w.prog.Fset.File(f.FileStart)
	if tf == nil || tf.Size() != len(src) {
		return fmt.Errorf("%s: changed since it was loaded", w.prog.Rel(name))
	}
	r := &rewriter{
		pkgRewriter: w,
		editor:      &editor{file: tf, src: src},
		fileFacts:   facts,
		info:        w.TypesInfo,
		ast:         f,
		unit:        w.unitOf(name),
		zz:          w.prefix,
		keep:        map[string]bool{},
		version:     w.version(f),
		begins:      map[*ast.CallExpr]bool{},
		awaited:     map[ast.Expr]*ast.CallExpr{},
		listed:      map[*ast.CallExpr]bool{},
		later:       map[*ast.CallExpr]bool{},
		calledBy:    map[ast.Expr]*ast.CallExpr{},
		dated:       map[token.Pos]bool{},
	}
	r.calls, r.operands, r.private = r.memory.calls, r.memory.operands, r.memory.private
	if r.opts.Races {
		r.races = r.memory
	}
	if len(r.atomicFuncs) > 0 {
		r.quiet = r.localLoops(f)
	}
	for _, d := range facts.durations {
		r.unit.durations[d] = true
	}
	for _, d := range f.Decls {
		if w.opts.Shared || !w.otherTest(r.info, d) {
			r.decl(d)
		}
	}
	r.clockDecides(f.FileStart, f.FileEnd)
	out := r.finish(plan)
	for _, at := range r.lost {
		r.diag(tf.Pos(at), lostText)
	}
	if out == "" {
		return nil
	}
	rel := w.prog.Rel(name)
	if !filepath.IsLocal(filepath.FromSlash(rel)) {
		return fmt.Errorf("%s: outside of %s", name, w.prog.Root)
	}
	w.overlay.Files[rel] = []byte(out)
	return nil
}
