package parse

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// What the functions of a package do to memory is followed through their SSA form, without
// regard to the order of instructions: from where each reference comes, what is written
// through it, and where it goes. Whatever is not understood here makes the package none that
// is plain.

// origins are where a reference may come from, as a set: from memory that the function has
// made, from the variables of packages, or from a parameter, of which it is the value itself
// or something within.
type origins uint64

const (
	// maxFollowed is how many parameters a function may have, the receiver included.
	maxFollowed = 30

	fresh      origins = 1 << 60
	global     origins = 1 << 61
	code       origins = 1 << 62 // it is a function of the package
	parameters origins = 1<<(2*maxFollowed) - 1
	within     origins = parameters &^ (1<<maxFollowed - 1)
)

func isParameter(i int) origins     { return 1 << i }
func withinParameter(i int) origins { return 1 << (maxFollowed + i) }
func anyOf(i int) origins           { return isParameter(i) | withinParameter(i) }

// derived are the origins of what is found in memory of these origins, or is a part of it.
func (o origins) derived() origins {
	return o&^parameters | o&within | (o&parameters&^within)<<maxFollowed
}

// count is how many parameters are among the origins.
func (o origins) count() (n int) {
	for i := range maxFollowed {
		if o&anyOf(i) != 0 {
			n++
		}
	}
	return n
}

// reference says what a value of a type lets its holder do.
type reference int

const (
	noReference reference = iota // it is a copy
	// opaque: it may refer to memory, but nothing of that is to be seen without a type
	// assertion: a function, an interface, a value of a type parameter.
	opaque
	referring
)

// referenceOf says what values of a type refer to.
func referenceOf(t types.Type) reference { return referenceAt(t, 0) }

func referenceAt(t types.Type, depth int) reference {
	if t == nil {
		return noReference
	}
	if depth > 10 {
		return referring
	}
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		return ofConstraint(p.Constraint(), depth+1)
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Kind() == types.UnsafePointer {
			return referring
		}
		return noReference // a string does not change
	case *types.Array:
		return referenceAt(u.Elem(), depth+1)
	case *types.Struct:
		most := noReference
		for f := range u.Fields() {
			most = max(most, referenceAt(f.Type(), depth+1))
		}
		return most
	case *types.Tuple:
		most := noReference
		for v := range u.Variables() {
			most = max(most, referenceAt(v.Type(), depth+1))
		}
		return most
	case *types.Interface, *types.Signature:
		return opaque
	}
	return referring
}

// ofConstraint says what values of a type parameter refer to: those of the types in its
// constraint, if these are listed.
func ofConstraint(t types.Type, depth int) reference {
	i, ok := t.Underlying().(*types.Interface)
	if !ok {
		return referenceAt(t, depth)
	}
	found := opaque
	for e := range i.EmbeddedTypes() {
		var here reference
		switch u := types.Unalias(e).Underlying().(type) {
		case *types.Union:
			for term := range u.Terms() {
				here = max(here, referenceAt(term.Type(), depth+1))
			}
		case *types.Interface:
			here = ofConstraint(e, depth+1)
		default:
			here = referenceAt(e, depth+1)
		}
		if here != opaque {
			found = here // every value is of one of these types
		}
	}
	return found
}

// followed is what is known of a function.
type followed struct {
	params []*ssa.Parameter
	// opaqueParams are the parameters whose values are opaque.
	opaqueParams origins
	// written are the parameters whose memory may be written.
	written origins
	// linked are the origins of what may be stored in the memory of each parameter.
	linked []origins
	// kept are the opaque parameters that may be stored somewhere or returned, and called
	// those that may be called, or have methods called.
	kept, called origins
	// results are the origins of the results.
	results []origins
	// inFresh are the origins of what refers to memory, and is stored in memory that the
	// function has made; opaqueInFresh of what is opaque.
	inFresh, opaqueInFresh origins
}

// flow follows the functions of a package.
type flow struct {
	pkg   *ssa.Package
	plain map[string]*plainPackage // those that it may import
	// functions are those of the package, with the function literals in each.
	functions map[*ssa.Function]*followed
	order     []*ssa.Function
	outer     map[*ssa.Function]*ssa.Function
	bindings  map[*ssa.FreeVar]ssa.Value
	values    map[ssa.Value]origins
	errors    map[*ssa.Global]bool // whether nobody can change the error that it has
	in        *ssa.Function        // that is looked at
	changed   bool
	// why the package is not plain, "" if it is.
	why string
	// readsReferences: a function reads a variable of the package that refers to memory.
	readsReferences bool
}

// follow follows the functions of a package. It returns what they do to the memory that they
// are given, by their names, and why the package is not plain, if it is not.
func follow(pkg *ssa.Package, info *types.Info, plain map[string]*plainPackage) (map[string]*plainFunction, string) {
	f := &flow{
		pkg: pkg, plain: plain, functions: map[*ssa.Function]*followed{}, outer: map[*ssa.Function]*ssa.Function{},
		bindings: map[*ssa.FreeVar]ssa.Value{}, values: map[ssa.Value]origins{}, errors: map[*ssa.Global]bool{},
	}
	declared := map[*ssa.Function]*types.Func{}
	for _, obj := range info.Defs {
		if obj, ok := obj.(*types.Func); ok {
			if fn := pkg.Prog.FuncValue(obj); fn != nil {
				declared[fn] = obj
			}
		}
	}
	for _, member := range pkg.Members {
		if fn, ok := member.(*ssa.Function); ok {
			declared[fn] = nil // also what initialises the package
		}
	}
	for fn := range declared {
		f.order = append(f.order, fn)
	}
	slices.SortFunc(f.order, func(a, b *ssa.Function) int { return strings.Compare(a.String(), b.String()) })
	for _, fn := range f.order {
		f.add(fn)
	}
	for f.changed = true; f.changed && f.why == ""; {
		f.changed = false
		for _, fn := range f.order {
			f.function(fn, fn)
		}
	}
	out := map[string]*plainFunction{}
	for _, fn := range f.order {
		f.apart(fn)
		if obj, ok := fn.Object().(*types.Func); ok && ast.IsExported(obj.Name()) {
			out[obj.FullName()] = f.functions[fn].summary()
		}
	}
	f.variables()
	return out, f.why
}

// fail notes why the package is not plain.
func (f *flow) fail(why string) {
	if f.why == "" {
		f.why = why
	}
}

// add prepares a function and the function literals in it.
func (f *flow) add(fn *ssa.Function) {
	if fn.Blocks == nil {
		f.fail("has a function without a body")
		return
	}
	if len(fn.Params) > maxFollowed {
		f.fail("has a function with many parameters")
		return
	}
	s := &followed{params: fn.Params, linked: make([]origins, len(fn.Params)), results: make([]origins, fn.Signature.Results().Len())}
	for i, p := range fn.Params {
		if referenceOf(p.Type()) != noReference {
			f.values[p] = isParameter(i)
		}
		if referenceOf(p.Type()) == opaque {
			s.opaqueParams |= anyOf(i)
		}
	}
	f.functions[fn] = s
	var literals func(in *ssa.Function)
	literals = func(in *ssa.Function) {
		f.outer[in] = fn
		for _, lit := range in.AnonFuncs {
			for _, p := range lit.Params {
				if referenceOf(p.Type()) == referring {
					f.fail("has a function literal that is given memory")
				}
			}
			literals(lit)
		}
	}
	literals(fn)
}

// initialises reports whether what is looked at runs once, before anything of the program.
func (f *flow) initialises() bool {
	return f.in.Parent() == nil && (f.in.Synthetic == "package initializer" || strings.HasPrefix(f.in.Name(), "init#"))
}

// function follows a function, or a function literal in it.
func (f *flow) function(fn, in *ssa.Function) {
	f.in = in
	for _, b := range in.Blocks {
		for _, instr := range b.Instrs {
			if f.why != "" {
				return
			}
			f.code(instr)
			f.instruction(fn, instr)
		}
	}
	for _, lit := range in.AnonFuncs {
		f.function(fn, lit)
	}
}

// code looks at the functions that are operands of an instruction, and not called by it: who
// calls them is not seen.
func (f *flow) code(instr ssa.Instruction) {
	if _, ok := instr.(*ssa.MakeClosure); ok {
		return
	}
	called := ssa.Value(nil)
	if c, ok := instr.(ssa.CallInstruction); ok {
		called = c.Common().Value
	}
	for _, op := range instr.Operands(nil) {
		if fn, ok := (*op).(*ssa.Function); ok && fn != called && slices.ContainsFunc(fn.Params, func(p *ssa.Parameter) bool { return referenceOf(p.Type()) == referring }) {
			f.fail("uses a function as a value that is given memory")
		}
	}
}

// set adds to the origins of a value.
func (f *flow) set(v ssa.Value, o origins) {
	if referenceOf(v.Type()) == noReference {
		return
	}
	f.join2(v, o)
}

func (f *flow) join2(v ssa.Value, o origins) {
	if old := f.values[v]; old|o != old {
		f.values[v] = old | o
		f.changed = true
	}
}

func (f *flow) join(at *origins, o origins) {
	if *at|o != *at {
		*at |= o
		f.changed = true
	}
}

// of are the origins of a value in a function.
func (f *flow) of(fn *ssa.Function, v ssa.Value) origins {
	switch v := v.(type) {
	case *ssa.Const, *ssa.Builtin:
		return 0
	case *ssa.Function:
		return code
	case *ssa.Global:
		return f.ofGlobal(fn, v)
	case *ssa.FreeVar:
		if b := f.bindings[v]; b != nil {
			return f.of(fn, b)
		}
		return 0 // until the literal is made
	}
	return f.values[v]
}

// all are the origins of a value, and of what is in it if the function has made it.
func (f *flow) all(fn *ssa.Function, v ssa.Value) origins {
	o := f.of(fn, v)
	if o&fresh != 0 {
		s := f.functions[fn]
		o |= s.inFresh | s.opaqueInFresh
	}
	return o
}

// ofGlobal are the origins of the address of a variable of a package.
func (f *flow) ofGlobal(fn *ssa.Function, g *ssa.Global) origins {
	t := g.Type().(*types.Pointer).Elem()
	switch {
	case g.Pkg != f.pkg && (isError(t) || g.Pkg.Pkg.Path() == "unicode" || effectsOfStd[g.Pkg.Pkg.Path()] != 0 && referenceOf(t) == noReference):
	case g.Pkg != f.pkg:
		f.fail("uses a variable of another package")
	case ast.IsExported(g.Name()) && !isError(t) && !f.initialises():
		f.fail("uses a variable that others may set")
	}
	return global
}

func isError(t types.Type) bool {
	return types.Identical(t, types.Universe.Lookup("error").Type())
}

// loaded are the origins of what is read from memory.
func (f *flow) loaded(fn *ssa.Function, from origins, t types.Type) origins {
	s := f.functions[fn]
	switch referenceOf(t) {
	case opaque:
		// What others have given, unless it was stored here.
		o := from & global
		if from&fresh != 0 {
			o |= s.opaqueInFresh
		}
		return o
	case referring:
		o := from.derived()
		if o&global != 0 && !f.initialises() {
			f.readsReferences = true
		}
		if o&fresh != 0 {
			o |= s.inFresh
		}
		return o
	}
	return 0
}

// part are the origins of a part of a value.
func (f *flow) part(fn *ssa.Function, of origins, t types.Type) origins {
	if referenceOf(t) == opaque {
		return of & (f.functions[fn].opaqueParams | global)
	}
	return of.derived()
}

// instruction follows an instruction of a function.
func (f *flow) instruction(fn *ssa.Function, instr ssa.Instruction) {
	switch x := instr.(type) {
	case *ssa.Alloc, *ssa.MakeMap, *ssa.MakeSlice:
		f.set(x.(ssa.Value), fresh)
	case *ssa.FieldAddr:
		f.set(x, f.of(fn, x.X).derived())
	case *ssa.IndexAddr:
		f.set(x, f.of(fn, x.X).derived())
	case *ssa.Slice:
		f.set(x, f.of(fn, x.X).derived())
	case *ssa.SliceToArrayPointer:
		f.set(x, f.of(fn, x.X).derived())
	case *ssa.Field:
		f.set(x, f.part(fn, f.of(fn, x.X), x.Type()))
	case *ssa.Index:
		f.set(x, f.part(fn, f.of(fn, x.X), x.Type()))
	case *ssa.UnOp:
		switch x.Op {
		case token.ARROW:
			f.fail("receives")
		case token.MUL:
			if g, ok := x.X.(*ssa.Global); ok && isError(x.Type()) && f.isErrorValue(g) {
				f.of(fn, g)
				return
			}
			f.set(x, f.loaded(fn, f.of(fn, x.X), x.Type()))
		}
	case *ssa.Lookup:
		f.set(x, f.loaded(fn, f.of(fn, x.X), x.Type()))
	case *ssa.Range:
		f.join2(x, f.of(fn, x.X))
	case *ssa.Next:
		// By its parts, each of its own type.
		f.join2(x, f.of(fn, x.Iter))
	case *ssa.Extract:
		f.extract(fn, x)
	case *ssa.Phi:
		for _, e := range x.Edges {
			f.set(x, f.of(fn, e))
		}
	case *ssa.ChangeType:
		f.set(x, f.of(fn, x.X))
	case *ssa.ChangeInterface:
		f.set(x, f.of(fn, x.X))
	case *ssa.Convert:
		f.convert(fn, x, x.X)
	case *ssa.MultiConvert:
		f.convert(fn, x, x.X)
	case *ssa.MakeInterface:
		f.box(fn, x)
	case *ssa.TypeAssert:
		if referenceOf(x.AssertedType) == referring {
			f.fail("takes memory out of an interface")
			return
		}
		f.set(x, f.of(fn, x.X))
	case *ssa.BinOp, *ssa.Jump, *ssa.If, *ssa.RunDefers, *ssa.DebugRef:
	case *ssa.MakeClosure:
		f.closure(fn, x)
	case *ssa.Store:
		if v, ok := x.Val.(*ssa.MakeInterface); ok && f.printed(v) {
			return
		}
		f.store(fn, f.of(fn, x.Addr), x.Val)
	case *ssa.MapUpdate:
		f.store(fn, f.of(fn, x.Map), x.Key)
		f.store(fn, f.of(fn, x.Map), x.Value)
	case *ssa.Return:
		f.returns(fn, x)
	case *ssa.Panic:
		if f.all(fn, x.X)&^f.functions[fn].opaqueParams != 0 {
			f.fail("panics with memory that it has been given")
		}
	case *ssa.Call:
		f.call(fn, x, x)
	case *ssa.Defer:
		f.call(fn, x, nil)
	default: // go statements, sends, selects, channels
		f.fail("has what orders goroutines")
	}
}

func (f *flow) extract(fn *ssa.Function, x *ssa.Extract) {
	switch t := x.Tuple.(type) {
	case *ssa.Next, *ssa.Lookup:
		f.set(x, f.loaded(fn, f.of(fn, x.Tuple), x.Type()))
	case *ssa.Call:
		if o, ok := f.resultsOf(fn, t); ok {
			f.set(x, o[x.Index])
			return
		}
		f.set(x, f.of(fn, t))
	default:
		f.set(x, f.of(fn, t))
	}
}

func (f *flow) convert(fn *ssa.Function, x, from ssa.Value) {
	for _, t := range []types.Type{x.Type(), from.Type()} {
		if b, ok := t.Underlying().(*types.Basic); ok && b.Kind() == types.UnsafePointer {
			f.fail("converts addresses")
		}
	}
	f.set(x, f.of(fn, from).derived()|fresh)
}

// box follows what is put into an interface.
func (f *flow) box(fn *ssa.Function, x *ssa.MakeInterface) {
	o := f.all(fn, x.X)
	switch {
	case referenceOf(x.X.Type()) != referring:
		f.set(x, o)
	case f.printed(x):
		f.set(x, o) // for those that it is given to
	case o == fresh && onlyMade(x):
	default:
		f.fail("puts memory into an interface")
	}
}

// onlyMade: what is put into the interface is made here, and nothing else has it.
func onlyMade(x *ssa.MakeInterface) bool {
	a, ok := x.X.(*ssa.Alloc)
	if !ok {
		return false
	}
	for _, r := range *a.Referrers() {
		field, ok := r.(*ssa.FieldAddr)
		if r == x {
			continue
		}
		if !ok {
			return false
		}
		for _, r := range *field.Referrers() {
			if s, ok := r.(*ssa.Store); !ok || s.Addr != field {
				return false
			}
		}
	}
	return true
}

// printed: what is put into the interface is only given to functions of the standard library:
// by itself, or in a list of arguments to one that writes nothing.
func (f *flow) printed(x *ssa.MakeInterface) bool {
	for _, r := range *x.Referrers() {
		switch r := r.(type) {
		case ssa.CallInstruction:
			if f.effectOf(r.Common()) == 0 {
				return false
			}
		case *ssa.Store:
			at, ok := r.Addr.(*ssa.IndexAddr)
			if !ok || r.Val != x {
				return false
			}
			list, ok := at.X.(*ssa.Alloc)
			if !ok {
				return false
			}
			for _, r := range *list.Referrers() {
				switch r := r.(type) {
				case *ssa.IndexAddr:
				case *ssa.Slice:
					for _, r := range *r.Referrers() {
						if c, ok := r.(ssa.CallInstruction); !ok || f.effectOf(c.Common()) != readsOnly {
							return false
						}
					}
				default:
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

// closure follows the making of a function literal that uses variables around.
func (f *flow) closure(fn *ssa.Function, x *ssa.MakeClosure) {
	lit := x.Fn.(*ssa.Function)
	if f.outer[lit] == nil {
		f.fail("uses a method as a value")
		return
	}
	for i, v := range lit.FreeVars {
		f.bindings[v] = x.Bindings[i]
	}
	f.set(x, code)
}

// store follows the storing of a value in memory of these origins.
func (f *flow) store(fn *ssa.Function, at origins, v ssa.Value) {
	f.write(fn, at)
	f.link(fn, at, f.all(fn, v), referenceOf(v.Type()))
}

// write notes that memory of these origins is written.
func (f *flow) write(fn *ssa.Function, at origins) {
	s := f.functions[fn]
	if at&global != 0 && !f.initialises() {
		f.fail("writes to a variable of the package")
	}
	f.join(&s.written, at&parameters&^s.opaqueParams) // what is behind those is not to be seen
}

// link notes that what has the origins v is stored in memory of the origins at.
func (f *flow) link(fn *ssa.Function, at, v origins, kind reference) {
	s := f.functions[fn]
	if kind == noReference {
		return
	}
	if at&fresh != 0 {
		if kind == opaque {
			f.join(&s.opaqueInFresh, v)
		} else {
			f.join(&s.inFresh, v)
		}
	}
	if at &^= s.opaqueParams; at&^fresh == 0 {
		return
	}
	f.join(&s.kept, v&s.opaqueParams)
	if !f.initialises() {
		f.leaves(v)
	}
	for i := range s.linked {
		if at&anyOf(i) != 0 {
			f.join(&s.linked[i], v&parameters)
		}
	}
}

// leaves: what has these origins is kept by somebody else.
func (f *flow) leaves(o origins) {
	switch {
	case o&global != 0:
		f.fail("gives away a variable of the package")
	case o&code != 0:
		f.fail("keeps a function")
	}
}

func (f *flow) returns(fn *ssa.Function, x *ssa.Return) {
	s := f.functions[fn]
	top := x.Parent() == fn
	for i, v := range x.Results {
		o := f.all(fn, v)
		f.leaves(o)
		f.join(&s.kept, o&s.opaqueParams)
		switch {
		case top:
			f.join(&s.results[i], o)
		case o&^s.opaqueParams != 0:
			f.fail("has a function literal that returns memory")
		}
		if own := o &^ s.opaqueParams; top && ast.IsExported(fn.Name()) && (own&within != 0 || own != f.of(fn, v)&^s.opaqueParams) {
			f.fail("returns memory that it has been given")
		}
	}
}

// apart: what a function that others call does to what it is given can be recorded, and leaves
// the values apart from each other.
func (f *flow) apart(fn *ssa.Function) {
	s := f.functions[fn]
	if s == nil || !ast.IsExported(fn.Name()) {
		return
	}
	for _, p := range fn.Params {
		if !recordable(p.Type(), f.pkg.Pkg) {
			f.fail("has a function that is given memory of which it is not known what it is")
		}
	}
	for i, o := range s.linked {
		if o&^s.opaqueParams&^anyOf(i) != 0 {
			f.fail("links two values that it is given")
		}
	}
}

// variables: what the variables of the package refer to is not to be had by a variable that
// others may use.
func (f *flow) variables() {
	if !f.readsReferences {
		return
	}
	for name, member := range f.pkg.Members {
		if g, ok := member.(*ssa.Global); ok && ast.IsExported(name) {
			if t := g.Type().(*types.Pointer).Elem(); referenceOf(t) != noReference && !isError(t) {
				f.fail("has a variable by which others may write to memory of the package")
			}
		}
	}
}

// isErrorValue: a variable has an error that nobody can change.
func (f *flow) isErrorValue(g *ssa.Global) bool {
	is, known := f.errors[g]
	if !known {
		is = g.Pkg != f.pkg || f.onlyErrors(g)
		f.errors[g] = is
	}
	return is
}

// onlyErrors: what the package sets the variable to are errors that nobody can change.
func (f *flow) onlyErrors(g *ssa.Global) bool {
	for _, fn := range f.order {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				s, ok := instr.(*ssa.Store)
				if !ok || s.Addr != g {
					continue
				}
				switch v := s.Val.(type) {
				case *ssa.Call:
					if c := v.Call.StaticCallee(); c == nil || c.String() != "errors.New" && c.String() != "fmt.Errorf" {
						return false
					}
				case *ssa.MakeInterface:
					if referenceOf(v.X.Type()) != noReference {
						return false
					}
				default:
					return false
				}
			}
		}
	}
	return true
}

// called is a function that is called, of this package or of another one that is plain.
type called struct {
	written, kept, called origins
	linked, results       []origins
}

func (c *called) keeps(i int) bool { return c.kept&anyOf(i) != 0 }

// callee is what a call calls, nil if that is not known, or no function of a plain package.
func (f *flow) callee(c *ssa.CallCommon) *called {
	fn := c.StaticCallee()
	if fn == nil {
		return nil
	}
	if fn.Origin() != nil {
		fn = fn.Origin()
	}
	if s := f.functions[fn]; s != nil {
		return &called{s.written, s.kept, s.called, s.linked, s.results}
	}
	if obj, ok := fn.Object().(*types.Func); ok && obj.Pkg() != nil && f.plain[obj.Pkg().Path()] != nil && fn.Synthetic == "" {
		if s := f.plain[obj.Pkg().Path()].functions[obj.FullName()]; s != nil {
			return &called{s.written, s.kept, s.called, s.linked, s.results}
		}
	}
	return nil
}

// given are origins in a function that is called as those where it is.
func (f *flow) given(fn *ssa.Function, args []ssa.Value, o origins) (out origins) {
	for i, a := range args {
		if o&isParameter(i) != 0 {
			out |= f.all(fn, a)
		}
		if o&withinParameter(i) != 0 {
			out |= f.all(fn, a).derived()
		}
	}
	return out | o&(fresh|global)
}

// resultsOf are the origins of the results of a call whose function is known.
func (f *flow) resultsOf(fn *ssa.Function, x *ssa.Call) ([]origins, bool) {
	callee := f.callee(&x.Call)
	if callee == nil {
		return nil, false
	}
	out := make([]origins, len(callee.results))
	for i, o := range callee.results {
		out[i] = f.given(fn, x.Call.Args, o)
	}
	return out, true
}

// call follows a call; result is its value, if it has one.
func (f *flow) call(fn *ssa.Function, instr ssa.CallInstruction, result *ssa.Call) {
	c := instr.Common()
	if b, ok := c.Value.(*ssa.Builtin); ok {
		f.builtin(fn, b, c, result)
		return
	}
	if effect := f.effectOf(c); effect != 0 {
		f.std(fn, effect, c, result)
		return
	}
	static := c.StaticCallee()
	if callee := f.callee(c); callee != nil {
		f.static(fn, callee, c, result)
		return
	}
	if static != nil && f.outer[static] != nil {
		return // a literal in this function, which is followed with it
	}
	if static != nil && (static.Pkg != f.pkg && static.Name() == "init" && f.initialises()) {
		return // of an imported package
	}
	if static != nil {
		f.fail("calls " + static.String())
		return
	}
	f.dynamic(fn, c, result)
}

func (f *flow) static(fn *ssa.Function, callee *called, c *ssa.CallCommon, result *ssa.Call) {
	s := f.functions[fn]
	for i, a := range c.Args {
		o := f.all(fn, a)
		if callee.written&anyOf(i) != 0 {
			f.write(fn, o)
		}
		if callee.linked[i] != 0 {
			f.link(fn, o, f.given(fn, c.Args, callee.linked[i]), referring)
			f.link(fn, o, f.given(fn, c.Args, callee.linked[i])&s.opaqueParams, opaque)
		}
		if callee.keeps(i) {
			f.join(&s.kept, o&s.opaqueParams)
			f.leaves(o)
		}
		if callee.called&anyOf(i) != 0 {
			f.calls(fn, a)
		}
	}
	if result != nil && len(callee.results) == 1 {
		f.set(result, f.given(fn, c.Args, callee.results[0]))
	}
}

// calls notes that an opaque value is called, or a method of it: one that the function is
// given, or code of the package.
func (f *flow) calls(fn *ssa.Function, v ssa.Value) {
	s := f.functions[fn]
	o := f.of(fn, v)
	if _, isNil := v.(*ssa.Const); !isNil && (o == 0 || o&^s.opaqueParams&^code != 0) {
		f.fail("calls a function that it has kept")
		return
	}
	f.join(&s.called, o&s.opaqueParams)
}

// dynamic follows the call of a value, or of a method of what is in an interface.
func (f *flow) dynamic(fn *ssa.Function, c *ssa.CallCommon, result *ssa.Call) {
	s := f.functions[fn]
	if !c.IsInvoke() || !tells(c.Method) {
		f.calls(fn, c.Value)
	}
	for _, a := range c.Args {
		if m, ok := a.(*ssa.MakeClosure); ok && m.Fn.(*ssa.Function).Synthetic == "range-over-func yield" {
			continue // nobody may call it when the loop has ended
		}
		if f.all(fn, a)&^s.opaqueParams != 0 {
			f.fail("gives memory to a function of its caller")
		}
		f.join(&s.kept, f.all(fn, a)&s.opaqueParams)
	}
	if result != nil && referenceOf(result.Type()) == referring {
		f.fail("is given memory by a function of its caller")
	}
}

func (f *flow) builtin(fn *ssa.Function, b *ssa.Builtin, c *ssa.CallCommon, result *ssa.Call) {
	for _, a := range c.Args {
		if _, ok := a.Type().Underlying().(*types.Chan); ok {
			f.fail("uses a channel")
		}
	}
	switch b.Name() {
	case "len", "cap", "min", "max", "real", "imag", "complex", "recover", "ssa:deferstack":
	case "ssa:wrapnilchk":
		if result != nil {
			f.set(result, f.of(fn, c.Args[0]))
		}
	case "append":
		to := f.of(fn, c.Args[0]) | fresh
		f.write(fn, to)
		if len(c.Args) > 1 {
			f.copied(fn, to, c.Args[1])
		}
		if result != nil {
			f.set(result, to)
		}
	case "copy":
		to := f.of(fn, c.Args[0])
		f.write(fn, to)
		f.copied(fn, to, c.Args[1])
	case "delete", "clear":
		f.write(fn, f.of(fn, c.Args[0]))
	default:
		f.fail("calls " + b.Name())
	}
}

// copied follows the copying of the elements of a slice.
func (f *flow) copied(fn *ssa.Function, to origins, from ssa.Value) {
	elem := elementOf(from.Type())
	if elem == nil {
		return // a string
	}
	f.link(fn, to, f.loaded(fn, f.of(fn, from), elem), referenceOf(elem))
}

// elementOf is the type of the elements of a slice, nil for a string.
func elementOf(t types.Type) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return u.Elem()
	case *types.Basic:
		return nil
	}
	return t // of a type parameter
}

// std follows the call of a function of the standard library.
func (f *flow) std(fn *ssa.Function, e effect, c *ssa.CallCommon, result *ssa.Call) {
	s := f.functions[fn]
	var o origins
	for _, a := range c.Args {
		o |= f.all(fn, a)
	}
	o &^= s.opaqueParams
	if e == writesGiven {
		f.write(fn, o)
		if o.count() > 1 {
			f.fail("gives two values to a function that may link them")
		}
	}
	for _, a := range c.Args {
		if isCodeType(a.Type()) && f.of(fn, a)&^code&^s.opaqueParams == 0 {
			f.calls(fn, a) // it may; a value of the package has its own methods
		}
	}
	if result != nil {
		for _, t := range resultTypes(result) {
			if isCodeType(t) {
				f.fail("is given a function, or an interface, by " + c.StaticCallee().String())
			}
		}
		if referenceOf(result.Type()) == referring {
			f.set(result, o.derived()|fresh)
		}
	}
}

// isCodeType: values of the type are functions, or may have methods that do anything.
func isCodeType(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Signature:
		return true
	case *types.Interface:
		return !isTypeParam(t) && u.NumMethods() > 0 && !isError(t)
	}
	return false
}

func resultTypes(c *ssa.Call) (out []types.Type) {
	for v := range c.Call.Signature().Results().Variables() {
		out = append(out, v.Type())
	}
	return out
}

// summary is what calls of a function are told by.
func (s *followed) summary() *plainFunction {
	return &plainFunction{written: s.written, kept: s.kept, called: s.called, linked: s.linked, results: s.results}
}
