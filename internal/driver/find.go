package driver

import (
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/vtrace/vtrace/internal/source"
)

// File is the name of the files with the drivers.
const File = "zz_vtrace_drivers_test.go"

// Options say which drivers are written.
type Options struct {
	// Numbers are the values of numbers that matter, smallest first; nil means DefaultNumbers.
	Numbers []int
	// Valuations is how many there are of a function at most; 0 means DefaultValuations.
	Valuations int
	// Only, if not nil, says by its name whether a function is wanted.
	Only func(name string) bool
}

// DefaultValuations is how many valuations of a function there are at most.
const DefaultValuations = 24

// DefaultNumbers are the values of numbers that matter; a negative one is only for those that have a sign.
func DefaultNumbers() []int { return []int{0, 1, 2, 3, -1} }

// Function is a function that is checked on its own.
type Function struct {
	Package  string         // import path
	Name     string         // as in "Map" and "Pool.Submit"
	Pos      token.Position // of its declaration; the file is absolute
	Exported bool           // it can be called from other packages
	// Valuations are those with a driver, smallest first; More is how many there are besides, if not all
	// are checked: at least so many.
	Valuations []Valuation
	More       int // see Valuations
	// LeftOut says why the function has no driver, "" if it has.
	LeftOut string

	fn *types.Func
}

func (f *Function) String() string { return f.Package + " " + f.Name }

// Valuation is one choice of values for what matters.
type Valuation struct {
	Test   string  // the name of the driver
	Source string  // its text
	Values []Value // of what has more than one value, in the order of the parameters

	called       []*types.Func // besides the function itself
	how          string        // the function is called: see howCalled
	beside       *types.Func   // that is called at the same time, nil if there is none
	zeroReceiver bool          // the receiver is the zero value of its type
}

// Value is what a parameter, or a part of one, is in a valuation.
type Value struct {
	Name string // as in "workers", "len(jobs)" and "opts.Retries"
	Text string // as in "2", "nil" and "returns an error"

	param *ssa.Parameter // that has it, nil if it is a part of one
}

func (v Valuation) String() string {
	parts := make([]string, len(v.Values))
	for i, x := range v.Values {
		parts[i] = x.String()
	}
	return strings.Join(parts, ", ")
}

// isCancelled is how what is said of a context begins, and behindCall how it may go on.
const (
	isCancelled = "is cancelled "
	behindCall  = "behind the call"
)

// howCalled is the name of the value that says how a method is called, in one of these ways or beside another one.
const (
	howCalled  = "called"
	once       = "once"
	twice      = "twice at once"
	afterError = "again after an error"
)

// twice reports whether the driver calls the function twice at once.
func (v Valuation) twice() bool {
	return v.how == twice
}

// cancelled reports whether the driver gives the function a context that is cancelled.
func (v Valuation) cancelled() bool {
	return slices.ContainsFunc(v.Values, func(x Value) bool { return strings.HasPrefix(x.Text, isCancelled) })
}

// lateEnd reports whether the context of several calls at the same time is cancelled behind the last of them.
func (v Valuation) lateEnd() bool {
	return (v.twice() || v.beside != nil) && slices.ContainsFunc(v.Values, func(x Value) bool { return x.Text == isCancelled+behindCall })
}

func (v Value) String() string {
	if _, err := strconv.Atoi(v.Text); err == nil || v.Text == "nil" || v.Text == "true" || v.Text == "false" || strings.HasPrefix(v.Text, "\"") {
		return v.Name + " = " + v.Text
	}
	return v.Name + " " + v.Text
}

// Plan is the functions of packages, with the files of their drivers.
type Plan struct {
	Functions []*Function // by package; those that others need, such as constructors, first, and then by place
	// Overlay has the files with the drivers, and those of the tests, which are left out: by absolute names.
	Overlay map[string][]byte

	finder *finder
	files  map[string]*file // by absolute name

	mu         sync.Mutex
	alarms     map[place][]*Function // that were attributed
	attributed map[*Function]bool    // whose errors are
}

// Find returns the functions of the packages that the pattern of a set names, and their drivers. Test files,
// and functions that do nothing with concurrency, have none and are not listed.
func Find(ctx context.Context, set *source.Set, opts Options) (*Plan, error) {
	if opts.Numbers == nil {
		opts.Numbers = DefaultNumbers()
	}
	opts.Valuations = cmp.Or(opts.Valuations, DefaultValuations)
	all, matched := set.Packages()
	p := load(all)
	f := &finder{opts: opts, program: p, matters: p.relevant(), fset: set.Fset(), packages: map[*types.Package]*packages.Package{}, givenAs: map[*types.TypeName][]types.Type{}, remembered: map[any]any{}}
	for _, pkg := range all {
		f.packages[pkg.Types] = pkg
		f.given(pkg.Types)
	}
	plan := &Plan{Overlay: map[string][]byte{}, files: map[string]*file{}}
	for _, pkg := range matched {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := f.find(ctx, plan, pkg); err != nil {
			return nil, err
		}
	}
	for name, pkg := range set.TestFiles() {
		plan.Overlay[name] = []byte("package " + pkg + "\n")
	}
	plan.finder = f
	if err := plan.write(); err != nil {
		return nil, err
	}
	needed := map[*types.Func]bool{}
	for _, fn := range plan.Functions {
		for _, v := range fn.Valuations {
			for _, c := range v.called {
				needed[c] = true
			}
		}
	}
	rank := func(f *Function) int {
		if needed[f.fn] {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(plan.Functions, func(a, b *Function) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(rank(a), rank(b)))
	})
	return plan, nil
}

// load builds the SSA form of packages.
func load(pkgs []*packages.Package) *program {
	p := &program{own: map[*types.Package]bool{}, uses: map[*ssa.Function]uses{}}
	var built []*ssa.Package
	p.prog, built = ssautil.Packages(pkgs, ssa.InstantiateGenerics|ssa.GlobalDebug)
	for _, b := range built {
		if b != nil {
			b.Build()
		}
	}
	for _, pkg := range pkgs {
		p.own[pkg.Types] = true
		for _, file := range pkg.Syntax {
			for _, d := range file.Decls {
				if fd, ok := d.(*ast.FuncDecl); ok {
					if fn, ok := pkg.TypesInfo.Defs[fd.Name].(*types.Func); ok {
						p.add(p.prog.FuncValue(fn))
					}
				}
			}
		}
	}
	p.findUses()
	return p
}

// add adds a function and those that are declared in it.
func (p *program) add(f *ssa.Function) {
	if f == nil || f.Blocks == nil {
		return
	}
	p.all = append(p.all, f)
	for _, in := range f.AnonFuncs {
		p.add(in)
	}
}

type finder struct {
	opts Options
	*program
	matters    *slice
	fset       *token.FileSet
	packages   map[*types.Package]*packages.Package
	givenAs    map[*types.TypeName][]types.Type // see given
	remembered map[any]any                      // see remember
}

// remember returns what is known of functions, which is asked for each of hundreds of drivers, and computed once. The key is of a
// type of its own. It is for Find, which is one goroutine.
func remember[T any](f *finder, key any, compute func() T) T {
	if known, ok := f.remembered[key]; ok {
		return known.(T)
	}
	v := compute()
	f.remembered[key] = v
	return v
}

// find adds the functions of one package.
func (f *finder) find(ctx context.Context, plan *Plan, pkg *packages.Package) error {
	var here []*Function
	for _, file := range pkg.Syntax {
		if strings.HasSuffix(f.fset.Position(file.Pos()).Filename, "_test.go") {
			continue
		}
		for _, d := range file.Decls {
			fd, ok := d.(*ast.FuncDecl)
			if !ok || fd.Body == nil {
				continue
			}
			fn, ok := pkg.TypesInfo.Defs[fd.Name].(*types.Func)
			if !ok {
				continue
			}
			if e := f.entry(pkg, fn); e != nil {
				here = append(here, e)
			}
		}
	}
	slices.SortStableFunc(here, func(a, b *Function) int {
		return cmp.Or(cmp.Compare(a.Pos.Filename, b.Pos.Filename), cmp.Compare(a.Pos.Offset, b.Pos.Offset))
	})
	file := newFile(pkg.Types)
	for _, e := range here {
		if err := ctx.Err(); err != nil {
			return err
		}
		if e.LeftOut == "" {
			f.drivers(file, e)
		}
	}
	plan.Functions = append(plan.Functions, here...)
	if len(file.tests) == 0 {
		return nil
	}
	plan.files[filepath.Join(filepath.Dir(pkg.GoFiles[0]), File)] = file
	return nil
}

// write writes the files with the drivers.
func (p *Plan) write() error {
	for name, f := range p.files {
		text, err := f.text()
		if err != nil {
			return fmt.Errorf("the drivers of %s: %w", f.pkg.Path(), err)
		}
		p.Overlay[name] = text
	}
	return nil
}

// LeaveOut leaves out the functions of which a driver does not compile, with the first error of each, and reports
// whether there are some. The set is that with the overlay of the plan, which has to be loaded again then.
func (p *Plan) LeaveOut(set *source.Set) (some bool, err error) {
	for name, f := range p.files {
		for _, e := range set.ErrorsIn(name) {
			test := testAt(p.Overlay[name], e.Line)
			for _, fn := range p.Functions {
				in := fn.Package == f.pkg.Path() && (test == "" || slices.ContainsFunc(fn.Valuations, func(v Valuation) bool { return v.Test == test }))
				if in && fn.LeftOut == "" {
					fn.LeftOut, fn.Valuations, fn.More = "its driver does not compile: "+e.Message, nil, 0
					some = true
				}
			}
		}
		f.tests = slices.DeleteFunc(f.tests, func(t test) bool { return t.of.LeftOut != "" })
	}
	if !some {
		return false, nil
	}
	return true, p.write()
}

// testAt is the name of the test at a line of a file, "" if there is none.
func testAt(text []byte, line int) string {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if err != nil {
		return ""
	}
	for _, d := range file.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(fd.Name.Name, "Test_") && fset.Position(fd.Pos()).Line <= line && line <= fset.Position(fd.End()).Line {
			return fd.Name.Name
		}
	}
	return ""
}

// entry is the function as an entry point, nil if there is nothing to check in it.
func (f *finder) entry(pkg *packages.Package, fn *types.Func) *Function {
	name := nameOf(fn)
	if fn.Name() == "init" || fn.Name() == "_" || f.opts.Only != nil && !f.opts.Only(name) {
		return nil
	}
	s := f.prog.FuncValue(fn)
	u := f.usesOf(s)
	if !u.operates {
		return nil
	}
	e := &Function{Package: pkg.PkgPath, Name: name, Pos: f.fset.Position(fn.Pos()), Exported: f.isExported(fn), fn: fn}
	recv := fn.Signature().Recv()
	switch {
	case pkg.Name == "main" && fn.Name() == "main" && recv == nil:
		e.LeftOut = "an entry point itself: vtrace check -entry main"
	case !u.creates && (recv == nil || !hasState(recv.Type(), nil)):
		e.LeftOut = "works on what its callers give it, and is checked with them"
	case !fn.Exported() && f.startedOnly(s):
		e.LeftOut = "runs as a goroutine of other functions, and is checked with them"
	case !u.creates && !e.Exported:
		e.LeftOut = "a part of exported methods, and is checked with them"
	case recv != nil && f.isCalled(s) && (!fn.Exported() || !isExportedType(recv.Type()) && !f.starts(s)),
		recv == nil && f.isCalled(s) && !fn.Exported() && f.isGivenMade(fn):
		e.LeftOut = "a part of the functions that call it, and is checked with them"
	case fn.Name() == "Lock" || fn.Name() == "Unlock" || fn.Name() == "RLock" || fn.Name() == "RUnlock":
		e.LeftOut = "a lock itself: what is right depends on what is called before and after"
	}
	return e
}

// startedOnly reports whether the packages use a function for nothing but to run it as a goroutine, itself or in a
// function that does nothing else.
func (f *finder) startedOnly(fn *ssa.Function) bool {
	started := false
	for _, g := range f.all {
		for _, b := range g.Blocks {
			for _, instr := range b.Instrs {
				for _, op := range instr.Operands(nil) {
					used, ok := (*op).(*ssa.Function)
					if !ok || used != fn && used.Origin() != fn && !isMethodValue(used, fn) {
						continue
					}
					switch use := instr.(type) {
					case *ssa.Go:
						started = true
					case *ssa.MakeClosure: // also of a method value, as in wg.Go(p.work)
						if !runsAsGoroutine(use) {
							return false
						}
						started = true
					case *ssa.Call:
						_, name := calleeName(use.Common())
						if used != use.Call.Value && name == "Go" {
							started = true
							continue
						}
						if g.Parent() == nil || !f.startedOnly(g) {
							return false
						}
						started = true
					case *ssa.DebugRef:
					default:
						return false
					}
				}
			}
		}
	}
	return started
}

// runsAsGoroutine reports whether a function value is used for nothing but to run it as a goroutine.
func runsAsGoroutine(v ssa.Value) bool {
	for _, r := range *v.Referrers() {
		switch r := r.(type) {
		case *ssa.Go, *ssa.DebugRef:
		case *ssa.Call:
			if _, name := calleeName(r.Common()); name != "Go" {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// isMethodValue reports whether a function is the one that go/ssa makes for a method value of a method.
func isMethodValue(f, method *ssa.Function) bool {
	of, ok := f.Object().(*types.Func)
	m, isMethod := method.Object().(*types.Func)
	return ok && isMethod && of.Origin() == m.Origin() && strings.HasSuffix(f.Name(), "$bound")
}

// nameOf is the name of a function, with the type of its receiver.
func nameOf(fn *types.Func) string {
	recv := fn.Signature().Recv()
	if recv == nil {
		return fn.Name()
	}
	if n := namedOf(recv.Type()); n != nil {
		return n.Obj().Name() + "." + fn.Name()
	}
	return fn.Name()
}

// namedOf is the defined type of a value or of what a pointer points to, nil if there is none.
func namedOf(t types.Type) *types.Named {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, _ := types.Unalias(t).(*types.Named)
	return n
}

// isExported reports whether other packages can call a function: a method of an unexported type too, if an exported
// function returns such a value, or an interface with it that has the method.
func (f *finder) isExported(fn *types.Func) bool {
	recv := fn.Signature().Recv()
	if !fn.Exported() || recv == nil || isExportedType(recv.Type()) {
		return fn.Exported()
	}
	return slices.ContainsFunc(f.givenAs[namedOf(recv.Type()).Obj()], func(t types.Type) bool {
		m, _, _ := types.LookupFieldOrMethod(t, true, fn.Pkg(), fn.Name())
		return m != nil
	})
}

// given finds as what exported functions of a package return values of unexported types.
func (f *finder) given(pkg *types.Package) {
	for _, name := range pkg.Scope().Names() {
		maker, ok := pkg.Scope().Lookup(name).(*types.Func)
		if !ok || !maker.Exported() || maker.Signature().Results().Len() == 0 {
			continue
		}
		if made := f.makes(maker); made != nil && !isExportedType(made) {
			of := namedOf(made).Obj()
			f.givenAs[of] = append(f.givenAs[of], maker.Signature().Results().At(0).Type())
		}
	}
}

// makes is the type of the first result of a function, or if that is an interface the type that it always has in it, nil if
// that is not one.
func (f *finder) makes(fn *types.Func) types.Type {
	t := fn.Signature().Results().At(0).Type()
	if !types.IsInterface(t) || isError(t) {
		return t
	}
	var found types.Type
	known := true
	var visit func(v ssa.Value, seen map[ssa.Value]bool)
	visit = func(v ssa.Value, seen map[ssa.Value]bool) {
		if seen[v] {
			return
		}
		seen[v] = true
		switch v := v.(type) {
		case *ssa.Const: // nil, with an error
		case *ssa.MakeInterface:
			known = known && (found == nil || types.Identical(found, v.X.Type()))
			found = v.X.Type()
		case *ssa.Phi:
			for _, x := range v.Edges {
				visit(x, seen)
			}
		case *ssa.UnOp: // a result with a name
			for _, x := range f.matters.assigned[v.X] {
				visit(x, seen)
			}
		default:
			known = false
		}
	}
	for _, results := range f.matters.returned[f.prog.FuncValue(fn)] {
		visit(results[0], map[ssa.Value]bool{})
	}
	if !known {
		return nil
	}
	return found
}

func isExportedType(t types.Type) bool {
	n := namedOf(t)
	return n == nil || n.Obj().Exported()
}

// starts reports whether a function starts goroutines, itself or through others.
func (f *finder) starts(fn *ssa.Function) bool {
	obj, ok := fn.Object().(*types.Func)
	if !ok {
		return false
	}
	for g := range f.reached(obj) {
		for _, b := range g.Blocks {
			for _, instr := range b.Instrs {
				if c, ok := instr.(ssa.CallInstruction); ok {
					if _, name := calleeName(c.Common()); name == "Go" {
						return true
					}
				}
				if _, ok := instr.(*ssa.Go); ok {
					return true
				}
			}
		}
	}
	return false
}

// isGivenMade reports whether a function is given a pointer to a struct of the packages with fields of which only the code
// that makes it knows what they may be: in what state it is when the function is called, only its callers know.
func (f *finder) isGivenMade(fn *types.Func) bool {
	for p := range fn.Signature().Params().Variables() {
		t, ok := types.Unalias(p.Type()).(*types.Pointer)
		if !ok {
			continue
		}
		if n := namedOf(t); n != nil && f.own[n.Obj().Pkg()] && isOpaque(n) {
			return true
		}
	}
	return false
}

// isCalled reports whether another function of the packages calls a function by name.
func (f *finder) isCalled(fn *ssa.Function) bool {
	type called struct{ *ssa.Function }
	return remember(f, called{fn}, func() bool {
		return slices.ContainsFunc(f.all, func(g *ssa.Function) bool { return g != fn && slices.Contains(callees(g), fn) })
	})
}

// drivers writes the drivers of a function, smallest valuations first.
func (f *finder) drivers(file *file, e *Function) {
	all, more, err := f.valuations(file, e.fn)
	if err != nil {
		e.LeftOut = err.Error()
		return
	}
	chosen := spread(all, f.opts.Valuations)
	e.More = len(all) - len(chosen) + more
	for i, w := range chosen {
		val := Valuation{Values: w.values, called: w.called, how: w.how, beside: w.beside, zeroReceiver: w.zeroReceiver}
		val.Test = fmt.Sprintf("Test_%s_%d", strings.ReplaceAll(e.Name, ".", "_"), i+1)
		text, err := format.Source([]byte(w.function(val.Test)))
		if err != nil {
			e.LeftOut, e.Valuations = "no driver could be written: "+err.Error(), nil
			return
		}
		val.Source = string(text)
		e.Valuations = append(e.Valuations, val)
	}
	for i, w := range chosen {
		file.tests = append(file.tests, test{w, e.Valuations[i], e})
	}
}
