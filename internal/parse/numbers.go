package parse

import (
	"context"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"

	"github.com/vtrace/vtrace/internal/sites"
	"github.com/vtrace/vtrace/internal/source"
)

// The clock of a run shows one time, and that of another run another one. As long as a
// program handles what it shows as times and durations, and compares them with each other,
// the runtime follows it (see clock.go): what decides is how much time has passed, which a run
// chooses. It decides as a number where a time becomes a number or a text, or is calculated
// with otherwise, and something depends on that: a condition, an index, the key of a map, code
// that is not looked into. Of such a number a run has one, and no exploration has others.
//
// Where that is so is found by a taint analysis of the program in SSA form, without regard to
// the order of instructions, to contexts, or to which object a field is one of: whatever reads a
// field may read what is stored in it anywhere. What is not understood counts as deciding.

// taint says what of a value depends on the clock.
type taint uint8

const (
	// timed: it is a time, or a duration between two, also as a number of nanoseconds.
	timed   taint = 1 << iota
	instant       // it is a time as a number of nanoseconds
	scaled        // it is a time or a duration, which was calculated from one otherwise than by sums
	numeric       // it is, or was calculated from, another number or a text that was made of one
	holder        // it is an interface that refers to such
	valued        // it is an interface with a struct or an array of such

	dated = timed | instant | scaled | numeric
)

// clockUses are the places of a program where what the clock shows counts as a number.
type clockUses struct {
	// decides are those where it decides, with how.
	decides map[token.Pos]string
	order   []token.Pos // of these places
	// residues are the operators of remainders of what the clock shows in nanoseconds, with
	// how many values they have: each of them may come, whatever time it is.
	residues map[token.Pos]int
	// compared are the operators that compare times or durations as numbers of nanoseconds.
	compared map[token.Pos]bool
	// thresholds are what durations that become numbers are compared with, in nanoseconds, by
	// the left parentheses of the calls that make them numbers.
	thresholds map[token.Pos][]int64
	// seeds are the left parentheses of the calls that seed random numbers with what may be
	// from the clock.
	seeds map[token.Pos]bool
}

// clockFlow is the analysis.
type clockFlow struct {
	prog        *ssa.Program
	handlesLogs bool
	bodies      map[string]*ssa.Function // of the ssaForm
	own         map[string]bool          // paths of its packages
	order       []*ssa.Function          // those that may run
	cells       map[any]*cell            // see pointsto.go
	values      map[ssa.Value]taint
	results     map[resultOf]taint
	users       map[resultOf][]ssa.Instruction // of results of functions
	converted   []types.Type                   // whose values become interfaces
	// taken are the functions that are used as values, by their types. Those without a body
	// are nil.
	taken    map[string][]*ssa.Function
	callees  map[ssa.CallInstruction]callees
	behindOf map[string][]*ssa.Function // see methods
	called   map[*ssa.Function]bool     // by code that is not looked into
	current  ssa.Instruction            // that is followed
	// rewritten are the operators that the rewriter can have the runtime follow: of expressions of
	// known types, not those of assignments, switches and type parameters.
	rewritten map[token.Pos]bool
	queue     []ssa.Instruction // of which something has changed
	queued    map[ssa.Instruction]bool
	looking   []ssa.Instruction // that look at what can be got at with a value
	looks     map[ssa.Instruction]bool
	held      map[heldIn]bool // see holds
	found     *clockUses      // nil until nothing changes any more
}

// callees are what a call may call.
type callees struct {
	own    []*ssa.Function
	others bool
}

// heldIn is a type and the cell that values of it refer to.
type heldIn struct {
	t types.Type
	c *cell
}

// resultOf is a component of what an instruction or a function returns.
type resultOf struct {
	of any
	i  int
}

// Cells of memory that belong to no variable and no type.
const (
	panicking = "panic" // the values of panics
	contained = "contained"
	causes    = "causes" // the errors that contexts are given
)

// findClockUses finds out where the clock of a program counts as a number.
func findClockUses(ctx context.Context, prog *source.Program, handlesLogs bool) (*clockUses, error) {
	form, err := buildSSA(ctx, prog)
	if err != nil {
		return nil, err
	}
	var entries []*types.Func
	if prog.Func != nil {
		entries = []*types.Func{prog.Func}
	}
	return followClock(prog, form, entries, handlesLogs).found, nil
}

// sharedClockUses are the uses of the clock in a program that the checks of several entry points run.
type sharedClockUses struct {
	uses *clockUses
	// elsewhere reports whether the clock decides at a place in what other entries run only.
	elsewhere func(token.Pos) bool
	// own: they are those of the entry of the program alone.
	own bool
}

// findSharedClockUses is findClockUses for a program that the checks of several entry points run: for
// all of them together, unless that says something else of what the entry of prog may run.
func findSharedClockUses(ctx context.Context, prog *source.Program, handlesLogs bool) (*sharedClockUses, error) {
	form, err := buildSSA(ctx, prog)
	if err != nil {
		return nil, err
	}
	nowhere := func(token.Pos) bool { return false }
	entries := prog.EntryFuncs()
	type key struct{ entries string }
	all, err := source.Derive(ctx, prog, key{names(entries)}, func() (*clockUses, error) {
		return followClock(prog, form, entries, handlesLogs).found, nil
	})
	if err != nil || len(entries) < 2 || all.none() {
		return &sharedClockUses{all, nowhere, false}, err
	}
	own := followClock(prog, form, []*types.Func{prog.Func}, handlesLogs)
	if !own.agrees(all) {
		return &sharedClockUses{own.found, nowhere, true}, nil
	}
	return &sharedClockUses{all, func(pos token.Pos) bool { return own.found.decides[pos] == "" }, false}, nil
}

// names are the names of functions of a package, as one text.
func names(functions []*types.Func) string {
	var out strings.Builder
	for _, f := range functions {
		out.WriteString(f.Name())
		out.WriteByte('\n')
	}
	return out.String()
}

// none: nowhere does what the clock shows count as a number.
func (u *clockUses) none() bool {
	return len(u.decides)+len(u.residues)+len(u.compared)+len(u.thresholds)+len(u.seeds) == 0
}

// agrees reports whether other uses of the clock, with all that was found, are the same in what may run.
func (f *clockFlow) agrees(with *clockUses) bool {
	own := f.found
	return maps.Equal(own.seeds, with.seeds) && sameWhere(f.runs, own.decides, with.decides, equal) && sameWhere(f.runs, own.residues, with.residues, equal) &&
		sameWhere(f.runs, own.compared, with.compared, equal) && sameWhere(f.runs, own.thresholds, with.thresholds, slices.Equal[[]int64])
}

func equal[T comparable](a, b T) bool { return a == b }

// sameWhere reports whether places have the same values in two maps, of which the second has all places of
// the first, as far as they may run.
func sameWhere[V any](runs func(token.Pos) bool, a, b map[token.Pos]V, same func(V, V) bool) bool {
	for pos, v := range b {
		if w, ok := a[pos]; runs(pos) && (!ok || !same(v, w)) {
			return false
		}
	}
	return true
}

// runs reports whether a place is in a function that may run.
func (f *clockFlow) runs(pos token.Pos) bool {
	return slices.ContainsFunc(f.order, func(fn *ssa.Function) bool {
		n := fn.Syntax()
		return n != nil && n.Pos() <= pos && pos < n.End()
	})
}

// followClock does the analysis for entry functions, none for any function of the packages.
func followClock(prog *source.Program, form *ssaForm, entries []*types.Func, handlesLogs bool) *clockFlow {
	f := &clockFlow{
		prog: form.program, handlesLogs: handlesLogs, bodies: form.bodies, own: map[string]bool{},
		cells: map[any]*cell{}, values: map[ssa.Value]taint{}, results: map[resultOf]taint{}, users: map[resultOf][]ssa.Instruction{},
		taken: map[string][]*ssa.Function{}, callees: map[ssa.CallInstruction]callees{}, behindOf: map[string][]*ssa.Function{},
		called: map[*ssa.Function]bool{}, rewritten: map[token.Pos]bool{}, held: map[heldIn]bool{}, queued: map[ssa.Instruction]bool{}, looks: map[ssa.Instruction]bool{},
	}
	for _, p := range prog.Packages {
		f.own[p.PkgPath] = true
		f.operators(p)
	}
	f.reach(entries, form.packages)
	f.each(f.takes)
	f.each(func(instr ssa.Instruction) { f.alias(instr.Parent(), instr) })
	f.each(f.again)
	f.follow()
	for changed := true; changed; {
		for _, instr := range f.looking { // what they look at may have changed since
			f.again(instr)
		}
		changed = f.follow()
	}
	f.found = &clockUses{decides: map[token.Pos]string{}, residues: map[token.Pos]int{}, compared: map[token.Pos]bool{}, thresholds: map[token.Pos][]int64{}, seeds: map[token.Pos]bool{}}
	f.each(f.instruction)
	f.found.order = slices.Sorted(maps.Keys(f.found.decides))
	return f
}

// operators finds the operators of a package that can be rewritten.
func (f *clockFlow) operators(p *packages.Package) {
	scalar := func(e ast.Expr) bool {
		t := p.TypesInfo.TypeOf(e)
		return t != nil && isScalar(t)
	}
	for _, file := range p.Syntax {
		ast.Inspect(file, func(n ast.Node) bool {
			if e, ok := n.(*ast.BinaryExpr); ok && scalar(e.X) && scalar(e.Y) {
				f.rewritten[e.OpPos] = true
			}
			return true
		})
	}
}

func (f *clockFlow) each(do func(instr ssa.Instruction)) {
	for _, fn := range f.order {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				do(instr)
			}
		}
	}
}

// again has an instruction followed again.
func (f *clockFlow) again(instr ssa.Instruction) {
	if !f.queued[instr] {
		f.queued[instr] = true
		f.queue = append(f.queue, instr)
	}
}

// follow follows the instructions of which something has changed until nothing changes. It reports
// whether anything has.
func (f *clockFlow) follow() (changed bool) {
	for len(f.queue) > 0 {
		instr := f.queue[0]
		f.queue = f.queue[1:]
		f.queued[instr] = false
		before := len(f.queue)
		f.instruction(instr)
		changed = changed || len(f.queue) > before
	}
	return changed
}

// reach finds the functions that may run: from the entries and what initialises the packages, by
// what functions name, with all methods of what becomes an interface.
func (f *clockFlow) reach(entries []*types.Func, pkgs []*ssa.Package) {
	seen := map[*ssa.Function]bool{}
	add := func(fn *ssa.Function) {
		if fn = f.body(fn); fn != nil && !seen[fn] {
			seen[fn] = true
			f.order = append(f.order, fn)
		}
	}
	for _, p := range pkgs {
		if p == nil {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(p.Members)) {
			fn, ok := p.Members[name].(*ssa.Function)
			if ok && (len(entries) == 0 || name == "init" || strings.HasPrefix(name, "init#") || name == "TestMain") {
				add(fn)
			}
		}
	}
	for _, entry := range entries {
		add(f.prog.FuncValue(entry))
	}
	converted := map[string]bool{}
	for i := 0; i < len(f.order); i++ {
		for _, b := range f.order[i].Blocks {
			for _, instr := range b.Instrs {
				for _, op := range instr.Operands(nil) {
					if fn, ok := (*op).(*ssa.Function); ok {
						add(fn)
					}
				}
				m, ok := instr.(*ssa.MakeInterface)
				if !ok || converted[typeText(m.X.Type())] {
					continue
				}
				converted[typeText(m.X.Type())] = true
				f.converted = append(f.converted, m.X.Type())
				set := f.prog.MethodSets.MethodSet(m.X.Type())
				for k := range set.Len() {
					add(f.prog.MethodValue(set.At(k)))
				}
			}
		}
	}
}

// body is a function with its body, nil if it has none that is known.
func (f *clockFlow) body(fn *ssa.Function) *ssa.Function {
	if fn == nil || fn.Blocks != nil {
		return fn
	}
	return f.bodies[fn.String()]
}

// takes notes which functions an instruction uses as values.
func (f *clockFlow) takes(instr ssa.Instruction) {
	var callee ssa.Value
	if c, ok := instr.(ssa.CallInstruction); ok {
		callee = c.Common().Value
	}
	for _, op := range instr.Operands(nil) {
		if fn, ok := (*op).(*ssa.Function); ok && fn != callee {
			key := functionType(fn.Signature)
			if body := f.body(fn); !slices.Contains(f.taken[key], body) {
				f.taken[key] = append(f.taken[key], body)
			}
		}
	}
}

// functionType is the type of functions, without the names of parameters.
func functionType(t types.Type) string {
	s, ok := t.Underlying().(*types.Signature)
	if !ok {
		return ""
	}
	text := ""
	for _, list := range []*types.Tuple{s.Params(), s.Results()} {
		for v := range list.Variables() {
			text += typeText(v.Type()) + ", "
		}
		text += "; "
	}
	return text
}

// load is the taint of what is read from a cell.
func (f *clockFlow) load(c *cell) taint {
	if c == nil {
		return 0
	}
	c = c.find()
	if n := len(c.users); f.found == nil && f.current != nil && (n == 0 || c.users[n-1] != f.current) {
		c.users = append(c.users, f.current)
	}
	return c.taint
}

// store notes what is written to a cell.
func (f *clockFlow) store(c *cell, t taint) {
	if c == nil {
		return
	}
	if c = c.find(); c.taint|t != c.taint {
		c.taint |= t
		users := c.users
		c.users = nil
		for _, instr := range users {
			f.again(instr)
		}
	}
}

func (f *clockFlow) set(v ssa.Value, t taint) {
	if old := f.values[v]; old|t != old {
		f.values[v] = old | t
		f.changed(v)
	}
}

// changed has those followed again that use a value.
func (f *clockFlow) changed(v ssa.Value) {
	if refs := v.Referrers(); refs != nil {
		for _, instr := range *refs {
			f.again(instr)
		}
	}
}

func (f *clockFlow) setResult(of any, i int, t taint) {
	r := resultOf{of, i}
	old := f.results[r]
	if old|t == old {
		return
	}
	f.results[r] = old | t
	if v, ok := of.(ssa.Value); ok {
		f.changed(v)
	}
	for _, instr := range f.users[r] {
		f.again(instr)
	}
}

// result is the taint of a result of a function.
func (f *clockFlow) result(fn *ssa.Function, i int) taint {
	r := resultOf{fn, i}
	if n := len(f.users[r]); f.found == nil && (n == 0 || f.users[r][n-1] != f.current) && !slices.Contains(f.users[r], f.current) {
		f.users[r] = append(f.users[r], f.current)
	}
	return f.results[r]
}

// of is the taint of a value.
func (f *clockFlow) of(v ssa.Value) taint { return f.values[v] }

// behind is the taint of a value and of what can be got at with it.
func (f *clockFlow) behind(v ssa.Value) taint {
	t := f.of(v)
	c := f.to(v)
	switch u := v.Type().Underlying().(type) {
	case *types.Slice, *types.Chan:
		t |= f.load(c)
	case *types.Pointer:
		if !isStruct(u.Elem()) || isTimeType(u.Elem(), "Time") || !f.isOwn(u.Elem()) {
			t |= f.load(c)
		}
	case *types.Map:
		t |= f.load(c)
		if c != nil {
			t |= f.load(c.mapKeys())
		}
	}
	if f.holds(v) {
		t |= holder
	}
	return t
}

// holds reports whether a value has parts, or refers to memory, that depends on the clock. What is
// behind interfaces and functions is not seen.
func (f *clockFlow) holds(v ssa.Value) bool {
	if f.found == nil && !f.looks[f.current] {
		f.looks[f.current] = true
		f.looking = append(f.looking, f.current)
	}
	return f.holdsIn(v.Type(), f.to(v), map[heldIn]bool{})
}

func (f *clockFlow) holdsIn(t types.Type, c *cell, seen map[heldIn]bool) bool {
	if c != nil {
		c = c.find()
	}
	at := heldIn{t, c}
	if isTimeType(t, "Time") || seen[at] {
		return false
	}
	seen[at] = true
	if f.held[at] {
		return true
	}
	in := func(c *cell, elem types.Type) bool {
		if c == nil {
			return false
		}
		return c.find().taint != 0 && !isStruct(elem) || c.find().taint != 0 && isTimeType(elem, "Time") || f.holdsIn(elem, c.find().content, seen)
	}
	found := false
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		found = in(c, u.Elem())
	case *types.Slice:
		found = in(c, u.Elem())
	case *types.Chan:
		found = in(c, u.Elem())
	case *types.Array:
		found = f.holdsIn(u.Elem(), c, seen)
	case *types.Map:
		found = in(c, u.Elem()) || c != nil && in(c.mapKeys(), u.Key())
	case *types.Struct:
		for i := range u.NumFields() {
			if field := f.field(t, i); field.taint != 0 || in(field, u.Field(i).Type()) {
				found = true
				break
			}
		}
	}
	if found {
		f.held[at] = true
	}
	return found
}

// decides notes that the clock decides as a number, once the analysis is at its end.
func (f *clockFlow) decides(instr ssa.Instruction, how string) {
	if f.found == nil {
		return
	}
	pos := near(instr, 0)
	if !pos.IsValid() {
		pos = loopAround(instr)
	}
	if !pos.IsValid() {
		pos = instr.Parent().Pos()
	}
	if _, known := f.found.decides[pos]; !known {
		f.found.decides[pos] = how
	}
}

// near is the position of an instruction, or of the next one that it takes something from.
func near(instr ssa.Instruction, depth int) token.Pos {
	pos := instr.Pos()
	for _, op := range instr.Operands(nil) {
		if pos.IsValid() || depth > 4 {
			break
		}
		if from, ok := (*op).(ssa.Instruction); ok && from.Parent() == instr.Parent() {
			pos = near(from, depth+1)
		}
	}
	return pos
}

// loopAround is the position of the range loop which has an instruction as the condition that its body is executed on, or of
// one around that, if there is one: such a condition has no position of its own.
func loopAround(instr ssa.Instruction) (at token.Pos) {
	cond, ok := instr.(*ssa.If)
	if !ok || cond.Parent().Syntax() == nil {
		return token.NoPos
	}
	// The first block of the body has no instruction of a loop inside, but for what that ranges over.
	body := token.NoPos
	for _, in := range cond.Block().Succs[0].Instrs {
		if body = in.Pos(); body.IsValid() {
			break
		}
	}
	ast.Inspect(cond.Parent().Syntax(), func(n ast.Node) bool {
		if n == nil || body < n.Pos() || body >= n.End() {
			return false
		}
		if loop, ok := n.(*ast.RangeStmt); ok && (body < loop.X.Pos() || body >= loop.X.End()) {
			at = loop.Pos()
		}
		return true
	})
	return at
}

// number is decides if a value is a number of the clock.
func (f *clockFlow) number(instr ssa.Instruction, v ssa.Value, how string) {
	if v != nil && f.of(v)&dated != 0 {
		f.decides(instr, how)
	}
}

// instruction follows an instruction of a function.
func (f *clockFlow) instruction(instr ssa.Instruction) {
	f.current = instr
	switch x := instr.(type) {
	case *ssa.Alloc, *ssa.MakeMap, *ssa.DebugRef, *ssa.Jump, *ssa.RunDefers:
	case *ssa.MakeClosure:
		for i, v := range x.Bindings {
			f.set(x.Fn.(*ssa.Function).FreeVars[i], f.of(v))
		}
	case *ssa.MakeChan:
		f.number(x, x.Size, "the capacity of a channel")
	case *ssa.MakeSlice:
		f.number(x, x.Len, "the length of a slice")
		f.number(x, x.Cap, "the capacity of a slice")
	case *ssa.Phi:
		for _, e := range x.Edges {
			f.set(x, f.of(e))
		}
	case *ssa.BinOp:
		f.binOp(x)
	case *ssa.UnOp:
		f.unOp(x)
	case *ssa.ChangeType:
		f.convert(x, x.X)
	case *ssa.Convert:
		f.convert(x, x.X)
	case *ssa.MultiConvert:
		f.convert(x, x.X)
	case *ssa.ChangeInterface:
		f.set(x, f.of(x.X))
		f.givesMethods(x.Type(), nil)
	case *ssa.MakeInterface:
		t := f.of(x.X)
		f.store(f.madeOf(x.X.Type()), t)
		if f.holds(x.X) {
			t |= holder
			switch x.X.Type().Underlying().(type) {
			case *types.Struct, *types.Array:
				t |= valued
			}
		}
		f.set(x, t)
		f.givesMethods(x.Type(), x.X.Type())
	case *ssa.TypeAssert:
		t := f.of(x.X)
		if !types.IsInterface(x.AssertedType) {
			t &^= holder | valued // it is found where it is
		}
		t = f.inside(t, x.AssertedType)
		if isTimeType(x.AssertedType, "Time") {
			t |= timed // it may be from code that is not looked into
		}
		f.setFirst(x, x.CommaOk, t)
	case *ssa.Extract:
		f.set(x, f.results[resultOf{x.Tuple, x.Index}])
	case *ssa.FieldAddr:
	case *ssa.Field:
		f.set(x, f.fieldOf(x.X.Type(), x.Field))
	case *ssa.IndexAddr:
		f.number(x, x.Index, "an index")
	case *ssa.Index:
		f.number(x, x.Index, "an index")
		f.set(x, f.of(x.X))
	case *ssa.Lookup:
		f.lookup(x)
	case *ssa.Slice:
		for _, v := range []ssa.Value{x.Low, x.High, x.Max} {
			f.number(x, v, "a bound of a slice")
		}
		f.set(x, f.of(x.X))
	case *ssa.SliceToArrayPointer:
		f.set(x, f.of(x.X))
	case *ssa.Store:
		f.store(f.to(x.Addr), f.of(x.Val))
		if a, ok := x.Addr.(*ssa.FieldAddr); ok && !f.isOwn(pointedTo(a.X.Type())) {
			f.givesFunction(x.Val, 0)
		}
	case *ssa.MapUpdate:
		f.key(x, x.Key)
		f.store(f.to(x.Map), f.of(x.Value))
		if c := f.to(x.Map); c != nil {
			f.store(c.mapKeys(), f.of(x.Key))
		}
	case *ssa.Send:
		f.store(f.to(x.Chan), f.of(x.X))
	case *ssa.Select:
		i := 2
		for _, s := range x.States {
			if s.Dir == types.SendOnly {
				f.store(f.to(s.Chan), f.of(s.Send))
				continue
			}
			f.setResult(x, i, f.received(s.Chan))
			i++
		}
	case *ssa.Range:
		f.set(x, f.of(x.X))
	case *ssa.Next:
		if x.IsString {
			f.setResult(x, 1, f.of(x.Iter))
			f.setResult(x, 2, f.of(x.Iter))
			return
		}
		if c := f.to(x.Iter.(*ssa.Range).X); c != nil {
			f.setResult(x, 1, f.load(c.mapKeys()))
			f.setResult(x, 2, f.load(c))
		}
	case *ssa.If:
		if f.of(x.Cond)&numeric != 0 && !f.onlyTells(x) {
			f.decides(x, "a condition")
		}
	case *ssa.Return:
		fn := x.Parent()
		for i, v := range x.Results {
			f.setResult(fn, i, f.of(v))
			if f.called[fn] && f.of(v)&dated != 0 {
				f.decides(x, "a result for code that is not looked into")
			}
		}
	case *ssa.Panic:
		f.store(f.at(panicking), f.of(x.X))
	case ssa.CallInstruction:
		f.call(x)
	default:
		for _, op := range instr.Operands(nil) {
			if *op != nil && f.of(*op) != 0 {
				f.decides(instr, "what is not followed")
			}
		}
	}
}

// madeOf is the cell with what values of a type were when they became interfaces.
func (f *clockFlow) madeOf(t types.Type) *cell {
	type key struct{ of string }
	return f.at(key{typeText(t)})
}

// inside is the taint of a value of a type that was found in an interface with a taint. Of the types of the program itself
// only the program makes interfaces, as it was given them: code that is not looked into may show it such a value again, but
// what depends on the clock it has been given then, which decides.
func (f *clockFlow) inside(t taint, of types.Type) taint {
	named, ok := types.Unalias(pointedTo(of)).(*types.Named)
	if t == 0 || !ok || types.IsInterface(of) || named.Obj().Pkg() == nil || !f.own[named.Obj().Pkg().Path()] {
		return t
	}
	return t & f.load(f.madeOf(of))
}

// setFirst sets a value, or the first one of a pair with a truth.
func (f *clockFlow) setFirst(v ssa.Value, pair bool, t taint) {
	if pair {
		f.setResult(v, 0, t)
	} else {
		f.set(v, t)
	}
}

// isOwn reports whether a type is one of the program, or has no name.
func (f *clockFlow) isOwn(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return !ok || n.Obj().Pkg() == nil || f.own[n.Obj().Pkg().Path()]
}

// fieldOf is the taint of a field. Code that is not looked into may have set a time, and containers
// keep what they are given.
func (f *clockFlow) fieldOf(t types.Type, i int) taint {
	found := f.load(f.field(t, i))
	t = pointedTo(t)
	if f.isOwn(t) {
		return found
	}
	if isTimeType(t.Underlying().(*types.Struct).Field(i).Type(), "Time") {
		found |= timed
	}
	if keepers[types.Unalias(t).(*types.Named).Obj().Pkg().Path()] {
		found |= f.load(f.at(contained))
	}
	return found
}

func (f *clockFlow) key(instr ssa.Instruction, key ssa.Value) {
	if f.of(key)&(dated|valued) != 0 || hasParts(key.Type()) && f.holds(key) {
		f.decides(instr, "the key of a map")
	}
}

func isStruct(t types.Type) bool {
	_, ok := t.Underlying().(*types.Struct)
	return ok
}

// hasParts reports whether values of a type are compared part by part, and parts of them may be fields, of which each
// has its own cell.
func hasParts(t types.Type) bool {
	if a, ok := t.Underlying().(*types.Array); ok {
		return hasParts(a.Elem())
	}
	return isStruct(t)
}

func (f *clockFlow) lookup(x *ssa.Lookup) {
	if _, ok := x.X.Type().Underlying().(*types.Map); !ok {
		f.number(x, x.Index, "an index")
		f.set(x, f.of(x.X))
		return
	}
	f.key(x, x.Index)
	f.setFirst(x, x.CommaOk, f.load(f.to(x.X)))
}

// received is the taint of what comes from a channel. Those of times are of timers.
func (f *clockFlow) received(ch ssa.Value) taint {
	t := f.load(f.to(ch))
	if of := sites.ChanOf(ch.Type()); of == nil || isTimeType(of.Elem(), "Time") {
		t |= timed
	}
	return t
}

func (f *clockFlow) unOp(x *ssa.UnOp) {
	switch x.Op {
	case token.ARROW:
		f.setFirst(x, x.CommaOk, f.received(x.X))
	case token.MUL:
		t := f.load(f.to(x.X))
		if a, ok := x.X.(*ssa.FieldAddr); ok {
			t |= f.fieldOf(a.X.Type(), a.Field)
		}
		f.set(x, t)
	default:
		f.set(x, f.of(x.X))
	}
}

// convert follows a conversion.
func (f *clockFlow) convert(to, from ssa.Value) {
	t := converted(f.of(from), to.Type())
	if _, ok := from.Type().Underlying().(*types.Slice); ok && isString(to.Type()) {
		t |= f.load(f.to(from))
	}
	if _, ok := to.Type().Underlying().(*types.Slice); ok && isString(from.Type()) {
		f.store(f.to(to), t)
	}
	if b, ok := to.Type().Underlying().(*types.Basic); ok && b.Kind() == types.UnsafePointer && f.behind(from) != 0 {
		f.decides(to.(ssa.Instruction), "what is behind an unsafe pointer")
	}
	f.set(to, t)
}

func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

func isInteger(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

func isUnsigned(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsUnsigned != 0
}

// unitOf are the units, in nanoseconds, that methods of a duration count.
var unitOf = map[string]float64{
	"(time.Duration).Hours": float64(time.Hour), "(time.Duration).Minutes": float64(time.Minute), "(time.Duration).Seconds": float64(time.Second),
	"(time.Duration).Milliseconds": float64(time.Millisecond), "(time.Duration).Microseconds": float64(time.Microsecond),
}

// threshold finds the call that has made a number of a duration, in some unit, if a comparison is
// one of that with a constant, and where it may come out otherwise, in nanoseconds.
func (f *clockFlow) threshold(x *ssa.BinOp) (call *ssa.Call, at []int64) {
	v, other := x.X, x.Y
	if _, ok := v.(*ssa.Const); ok {
		v, other = other, v
	}
	c, ok := other.(*ssa.Const)
	if !ok || c.Value == nil {
		return nil, nil
	}
	for conv, ok := v.(*ssa.Convert); ok && keepsOrder(conv.Type()); conv, ok = v.(*ssa.Convert) {
		v = conv.X
	}
	if call, ok = v.(*ssa.Call); !ok || call.Call.StaticCallee() == nil {
		return nil, nil
	}
	unit, ok := unitOf[call.Call.StaticCallee().String()]
	n, _ := constant.Float64Val(constant.ToFloat(c.Value))
	if !ok || f.of(call.Call.Args[0])&dated != timed || math.Abs(n)*unit > float64(longestThreshold) {
		return nil, nil
	}
	// Whole numbers are rounded to zero.
	for _, d := range []float64{n, math.Floor(n), math.Floor(n) + 1, math.Ceil(n) - 1} {
		if d := int64(d * unit); !slices.Contains(at, d) {
			at = append(at, d)
		}
	}
	return call, at
}

// keepsOrder reports whether durations in some unit are in the same order as numbers of a type.
func keepsOrder(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && (b.Kind() == types.Int || b.Kind() == types.Int64 || b.Info()&types.IsFloat != 0)
}

// longestThreshold is what no duration is compared with that a program measures.
const longestThreshold = 100 * 365 * 24 * time.Hour

// converted is the taint of a value that is converted to a type.
func converted(t taint, to types.Type) taint {
	kept := t & (numeric | holder | valued)
	switch {
	case isTimeType(to, "Time"), isDuration(to):
		kept |= t & (timed | scaled)
	case isNanoseconds(to):
		kept |= t & (timed | instant)
	}
	if t != kept {
		kept |= numeric
	}
	return kept
}

// isNanoseconds reports whether numbers of a type may be any number of nanoseconds.
func isNanoseconds(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && (b.Kind() == types.Int64 || b.Kind() == types.Int)
}

// binOp follows an operation. Sums and differences of times and durations are such, and if two of
// them are compared the runtime follows it.
func (f *clockFlow) binOp(x *ssa.BinOp) {
	a, b := f.of(x.X)&dated, f.of(x.Y)&dated
	if hasParts(x.X.Type()) && (f.holds(x.X) || f.holds(x.Y)) || f.of(x.X)&f.of(x.Y)&valued != 0 {
		a |= numeric
	}
	if a|b == 0 {
		return
	}
	if isComparison(x.Op) {
		switch {
		case isNil(x.X) || isNil(x.Y), isDuration(x.X.Type()) && a|b == timed && f.rewritten[x.Pos()]:
		case isNanoseconds(x.X.Type()) && a|b == instant && (noTime(x.X) || noTime(x.Y)):
		case !f.rewritten[x.Pos()]:
			f.set(x, numeric)
		case isNanoseconds(x.X.Type()) && (a|b == timed || a == instant && b == instant):
			if f.found != nil {
				f.found.compared[x.Pos()] = true
			}
		default:
			call, at := f.threshold(x)
			switch {
			case call == nil:
				f.set(x, numeric)
			case f.found != nil:
				f.found.thresholds[call.Pos()] = append(f.found.thresholds[call.Pos()], at...)
			}
		}
		return
	}
	if (x.Op == token.QUO || x.Op == token.REM) && isInteger(x.Type()) {
		f.number(x, x.Y, "a divisor")
	}
	if (x.Op == token.SHL || x.Op == token.SHR) && !isUnsigned(x.Y.Type()) {
		f.number(x, x.Y, "how far a number is shifted")
	}
	if n := residue(x); n > 0 && f.rewritten[x.Pos()] {
		if f.found != nil {
			f.found.residues[x.Pos()] = n
		}
		return
	}
	f.set(x, calculated(x.Op, a, b, x.Type()))
}

// calculated is the taint of what an operation gives of two values, of which one depends on the
// clock.
func calculated(op token.Token, a, b taint, t types.Type) taint {
	duration := isDuration(t)
	switch {
	case !duration && !isNanoseconds(t):
	case (op == token.ADD || op == token.SUB) && a|b == timed,
		op == token.SUB && a == instant && b == instant:
		return timed
	case op == token.ADD && a|b == instant && a&b == 0, op == token.ADD && a|b == instant|timed && a&b == 0 && a != a|b && b != a|b,
		op == token.SUB && a == instant && b&^timed == 0:
		return instant
	case duration && (a|b)&^(timed|scaled) == 0 && op != token.REM:
		return scaled
	}
	return numeric
}

func isNil(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.IsNil()
}

// noTime reports whether a value is a constant that, as nanoseconds since 1970, is no time that a
// clock shows: programs have 0, or a negative number, stand for no time at all.
func noTime(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	if !ok || c.Value == nil || c.Value.Kind() != constant.Int {
		return false
	}
	n, exact := constant.Int64Val(c.Value)
	return exact && n <= 0
}

// residue is how many values a remainder has, if it is a small one of a reading of the clock,
// in nanoseconds, that is used for nothing else; else 0.
func residue(x *ssa.BinOp) int {
	c, ok := x.Y.(*ssa.Const)
	if !ok || c.Value == nil || c.Value.Kind() != constant.Int {
		return 0
	}
	n, exact := constant.Int64Val(c.Value)
	switch {
	case !exact:
		return 0
	case x.Op == token.AND:
		n++
		if n&(n-1) != 0 {
			return 0
		}
	case x.Op != token.REM:
		return 0
	}
	if n < 2 || n > maxResidues {
		return 0
	}
	once := func(v ssa.Value) ssa.Value {
		refs := v.Referrers()
		if i, ok := v.(ssa.Instruction); !ok || refs == nil || len(*refs) != 1 || i.Block() != x.Block() {
			return nil
		}
		return v
	}
	v := once(x.X)
	for {
		conv, ok := v.(*ssa.Convert)
		if !ok {
			break
		}
		if b, ok := conv.Type().Underlying().(*types.Basic); !ok || b.Info()&types.IsInteger == 0 || b.Info()&types.IsUnsigned == 0 && b.Kind() != types.Int && b.Kind() != types.Int64 {
			return 0
		}
		v = once(conv.X)
	}
	call, ok := v.(*ssa.Call)
	if !ok || !calls(call, "(time.Time).UnixNano", "(time.Time).Nanosecond") {
		return 0
	}
	reading, ok := once(call.Call.Args[0]).(*ssa.Call)
	if !ok || !calls(reading, "time.Now") {
		return 0
	}
	return int(n)
}

// maxResidues is the greatest number of values that a run chooses among.
const maxResidues = 16

// calls reports whether a call is one of a function of some names.
func calls(c *ssa.Call, names ...string) bool {
	fn := c.Call.StaticCallee()
	return fn != nil && slices.Contains(names, fn.String())
}

// libraryFunc is the function that a call is known to call, if it has no body: one of code that
// is not looked into, or a method of an interface of such code; else nil.
func (f *clockFlow) libraryFunc(c *ssa.CallCommon) *types.Func {
	if c.IsInvoke() {
		if m := c.Method.Origin(); m.Pkg() != nil && !f.own[m.Pkg().Path()] {
			return m
		}
		return nil
	}
	fn := c.StaticCallee()
	if fn == nil || f.body(fn) != nil {
		return nil
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	obj, ok := fn.Object().(*types.Func)
	if !ok || obj.Pkg() == nil {
		return nil
	}
	return obj
}

// candidates are the functions of the program that a call may call, and whether others may, too.
func (f *clockFlow) candidates(call ssa.CallInstruction) (own []*ssa.Function, others bool) {
	found, known := f.callees[call]
	if !known {
		found.own, found.others = f.calleesOf(call.Common())
		f.callees[call] = found
	}
	return found.own, found.others
}

func (f *clockFlow) calleesOf(c *ssa.CallCommon) (own []*ssa.Function, others bool) {
	if fn := f.body(c.StaticCallee()); fn != nil {
		return []*ssa.Function{fn}, false
	}
	if !c.IsInvoke() {
		for _, fn := range f.taken[functionType(c.Value.Type())] {
			if fn == nil {
				others = true
			} else {
				own = append(own, fn)
			}
		}
		return own, others || len(own) == 0
	}
	for _, fn := range f.methods(c.Value.Type(), c.Method, nil) {
		if fn == nil {
			others = true
		} else {
			own = append(own, fn)
		}
	}
	return own, others || len(own) == 0 || f.libraryFunc(c) != nil
}

// methods are the methods behind one of an interface: of a type, or if that is nil of all whose
// values become interfaces. Those without a body are nil.
func (f *clockFlow) methods(iface types.Type, m *types.Func, of types.Type) (out []*ssa.Function) {
	i, ok := iface.Underlying().(*types.Interface)
	if !ok {
		return []*ssa.Function{nil}
	}
	key := typeText(iface) + "." + m.Id()
	if of != nil {
		key += " of " + typeText(of)
	}
	if known, ok := f.behindOf[key]; ok {
		return known
	}
	from := f.converted
	if of != nil {
		from = []types.Type{of}
	}
	for _, t := range from {
		set := f.prog.MethodSets.MethodSet(t)
		missing := false
		for m := range i.Methods() {
			missing = missing || set.Lookup(m.Pkg(), m.Name()) == nil
		}
		sel := set.Lookup(m.Pkg(), m.Name())
		if missing || sel == nil {
			continue
		}
		if fn := f.body(f.prog.MethodValue(sel)); !slices.Contains(out, fn) {
			out = append(out, fn)
		}
	}
	f.behindOf[key] = out
	return out
}

// givesMethods notes that a value, of a type if that is not nil, becomes an interface of code
// that is not looked into, which may call its methods. Those that tell what a value is show it.
func (f *clockFlow) givesMethods(iface, of types.Type) {
	if f.isOwn(iface) {
		return
	}
	i, ok := iface.Underlying().(*types.Interface)
	if !ok {
		return
	}
	for m := range i.Methods() {
		if tells(m) {
			continue
		}
		for _, fn := range f.methods(iface, m, of) {
			if fn != nil {
				f.callsOut(fn, f.load(f.at(contained)))
			}
		}
	}
}

// callsOut notes that code which is not looked into may call a function, with something of what
// it is given. The times that it has from elsewhere are from the clock.
func (f *clockFlow) callsOut(fn *ssa.Function, with taint) {
	f.called[fn] = true
	params := fn.Params
	if fn.Signature.Recv() != nil {
		params = params[1:]
	}
	for _, p := range params {
		switch t := p.Type(); {
		case isTimeType(t, "Time"):
			f.set(p, timed|with&(scaled|numeric))
		case isDuration(t):
			f.set(p, with&(timed|scaled|numeric))
		case types.IsInterface(t):
			f.set(p, with)
		default:
			f.set(p, with&dated)
		}
	}
}

// call follows a call.
func (f *clockFlow) call(c ssa.CallInstruction) {
	common := c.Common()
	if b, ok := common.Value.(*ssa.Builtin); ok {
		f.builtin(c, b.Name())
		return
	}
	if fn := f.libraryFunc(common); fn != nil && !(common.IsInvoke() && tells(fn)) {
		f.library(c, fn)
		if !common.IsInvoke() {
			return
		}
	}
	args := common.Args
	if common.IsInvoke() {
		args = append([]ssa.Value{common.Value}, args...)
	}
	found, others := f.candidates(c)
	for _, fn := range found {
		for i, p := range fn.Params {
			if i < len(args) {
				t := f.of(args[i])
				if i == 0 && common.IsInvoke() {
					t = f.inside(t, p.Type())
				}
				f.set(p, t)
			}
		}
		for i := range fn.Signature.Results().Len() {
			f.setCall(c, i, f.result(fn, i))
		}
	}
	switch {
	case !others:
	case common.IsInvoke() && tells(common.Method):
		if f.of(common.Value) != 0 {
			f.setCall(c, 0, numeric) // what it is, as a text
		}
	case f.libraryFunc(common) == nil:
		for _, a := range args {
			f.givesFunction(a, f.of(common.Value))
		}
		f.out(c, args, "a function that is not looked into")
		f.timesOf(c, true)
	}
}

// setCall sets a result of a call, if anybody takes it.
func (f *clockFlow) setCall(c ssa.CallInstruction, i int, t taint) {
	v, ok := c.(*ssa.Call)
	switch {
	case !ok:
	case v.Call.Signature().Results().Len() == 1:
		f.set(v, t)
	default:
		f.setResult(v, i, t)
	}
}

// setCalls sets all results of a call: texts and numbers are numbers, others refer to such.
func (f *clockFlow) setCalls(c ssa.CallInstruction, t taint) {
	if t == 0 {
		return
	}
	results := c.Common().Signature().Results()
	for i := range results.Len() {
		switch u := results.At(i).Type().Underlying().(type) {
		case *types.Basic:
			f.setCall(c, i, numeric)
		case *types.Slice:
			of := numeric
			if isTimeType(u.Elem(), "Time") || isDuration(u.Elem()) || !isScalar(u.Elem()) {
				of = t & dated
			}
			if !keepsLength(c) {
				f.setCall(c, i, of) // how many elements there are
			}
			f.store(f.toCall(c, i), of)
		case *types.Struct:
			f.setCall(c, i, numeric)
		case *types.Signature:
			f.setCall(c, i, t)
		default:
			f.setCall(c, i, holder)
		}
	}
}

// keepsLength reports whether how long a slice is that a function returns does not depend on what is in those that it is given.
func keepsLength(c ssa.CallInstruction) bool {
	fn := c.Common().StaticCallee()
	if fn == nil {
		return false
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	return lengthKeepers[fn.String()]
}

var lengthKeepers = map[string]bool{
	"bytes.Clone": true, "slices.Clip": true, "slices.Clone": true, "slices.Collect": true, "slices.Concat": true, "slices.Delete": true, "slices.Grow": true,
	"slices.Insert": true, "slices.Repeat": true, "slices.Replace": true, "slices.Sorted": true, "slices.SortedFunc": true, "slices.SortedStableFunc": true,
}

// isScalar reports whether a type is a basic one or has one: a type parameter has a constraint.
func isScalar(t types.Type) bool {
	_, ok := t.Underlying().(*types.Basic)
	return ok
}

// timesOf: the times that code which is not looked into returns are from the clock.
func (f *clockFlow) timesOf(c ssa.CallInstruction, durations bool) {
	results := c.Common().Signature().Results()
	for i := range results.Len() {
		t := results.At(i).Type()
		if isTimeType(t, "Time") || durations && isDuration(t) {
			f.setCall(c, i, timed)
		}
		switch u := t.Underlying().(type) {
		case *types.Pointer:
			if isTimeType(u.Elem(), "Time") {
				f.store(f.toCall(c, i), timed)
			}
		case *types.Slice:
			if isTimeType(u.Elem(), "Time") {
				f.store(f.toCall(c, i), timed)
			}
		}
	}
}

// out is a call of code that is not looked into, which is given what it may decide by. Behind an
// interface with methods it sees what these return.
func (f *clockFlow) out(c ssa.CallInstruction, args []ssa.Value, to string) {
	for _, a := range args {
		t := f.behind(a)
		if i, ok := a.Type().Underlying().(*types.Interface); ok && !i.Empty() {
			t &^= holder | valued
		}
		if t != 0 {
			f.decides(c, "given to "+to)
		}
	}
}

// keepers are the packages of the standard library that keep what they are given, and hand it
// out again, without looking at it.
var keepers = map[string]bool{"container/list": true, "container/ring": true, "container/heap": true, "context": true, "sync": true, "sync/atomic": true}

// library follows a call of a function that has no body.
func (f *clockFlow) library(c ssa.CallInstruction, fn *types.Func) {
	common := c.Common()
	args := common.Args
	var all taint
	for _, a := range args {
		all |= f.behind(a)
	}
	given := all
	if fn.Pkg().Path() == "sort" {
		given = 0 // they get indexes
	}
	for _, a := range args {
		f.givesFunction(a, given)
	}
	path := fn.Pkg().Path()
	switch {
	case path == "time":
		f.time(c, fn)
	case f.shows(fn), showsStream(fn, args):
	case f.seeds(c, fn):
	case strings.HasPrefix(fn.FullName(), "fmt.Fprint") && len(args) > 0 && textBuilder(args[0]) != nil:
		f.store(f.to(textBuilder(args[0])), all)
	case f.asserts(fn, args):
	case fn.FullName() == "errors.Is":
	case fn.FullName() == "errors.As":
		// An error that is no struct is the number or the text itself; of others the fields have it.
		if to, ok := args[1].(*ssa.MakeInterface); ok && f.of(args[0]) != 0 && !isStruct(pointedTo(pointedTo(to.X.Type()))) {
			f.store(f.to(to), numeric)
		}
	case fn.FullName() == "errors.AsType":
		if f.of(args[0]) != 0 && !isStruct(pointedTo(c.Common().Signature().Results().At(0).Type())) {
			f.setCall(c, 0, numeric)
		}
	case keepers[path]:
		f.keeper(c, fn)
	case effectsOfStd[path] != 0 && !strings.HasPrefix(fn.Name(), "Fprint") && !strings.Contains(fn.Name(), "can"):
		if recv := fn.Signature().Recv(); recv != nil && len(args) > 0 {
			if _, ok := args[0].Type().Underlying().(*types.Pointer); ok && all != 0 {
				f.store(f.to(args[0]), numeric)
			}
		}
		f.setCalls(c, all)
	default:
		f.out(c, args, fn.FullName())
		f.timesOf(c, false)
	}
}

// comparingTimes are the assertions that compare times and durations, and comparingNil those that
// ask whether there is something.
var (
	comparingTimes = []string{"Less", "LessOrEqual", "Greater", "GreaterOrEqual", "Positive", "Negative", "WithinDuration", "WithinRange"}
	comparingNil   = []string{"NoError", "Error", "Nil", "NotNil", "ErrorIs", "ErrorAs"}
)

// asserts reports whether a call is of an assertion that decides by nothing but how long something
// takes, or by whether there is something. Their limits are found as others are.
func (f *clockFlow) asserts(fn *types.Func, args []ssa.Value) bool {
	path := fn.Pkg().Path()
	if path != "github.com/stretchr/testify/assert" && path != "github.com/stretchr/testify/require" {
		return false
	}
	name := strings.TrimSuffix(fn.Name(), "f")
	if slices.Contains(comparingNil, name) {
		return true
	}
	return slices.Contains(comparingTimes, name) && !slices.ContainsFunc(args, func(a ssa.Value) bool { return f.of(a)&(dated&^timed) != 0 })
}

// givesFunction notes that a function is given to code that is not looked into, with other values.
func (f *clockFlow) givesFunction(v ssa.Value, with taint) {
	for _, fn := range f.functionsOf(v) {
		f.callsOut(fn, with)
	}
}

// keeper follows a call of a package that keeps what it is given.
func (f *clockFlow) keeper(c ssa.CallInstruction, fn *types.Func) {
	args := c.Common().Args
	kept := f.keptIn(fn, args)
	for i, a := range args {
		t := f.of(a)
		if t&(numeric|instant) != 0 && (isDuration(a.Type()) || isTimeType(a.Type(), "Time")) || t&dated != 0 && i == 1 && strings.HasPrefix(fn.FullName(), "(*sync.Map)") {
			f.decides(c, "given to "+fn.FullName())
		}
		f.store(kept, t)
		if isError(a.Type()) {
			f.store(f.at(causes), t)
		}
	}
	results := c.Common().Signature().Results()
	for i := range results.Len() {
		switch t := results.At(i).Type(); {
		case fn.Pkg().Path() == "context" && isError(t): // says nothing of a deadline
			f.setCall(c, i, f.load(f.at(causes)))
		case isTimeType(t, "Time"):
			f.setCall(c, i, timed|f.load(kept))
		case types.IsInterface(t), isNumber(t), isString(t), isBoolean(t) && (fn.Pkg().Path() == "sync/atomic" || strings.Contains(fn.Name(), "CompareAnd")):
			f.setCall(c, i, f.load(kept))
		}
	}
}

func isBoolean(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

// time follows a call of a function of package time.
func (f *clockFlow) time(c ssa.CallInstruction, fn *types.Func) {
	args := c.Common().Args
	var all taint
	for _, a := range args {
		all |= f.of(a) & dated
	}
	name := fn.Name()
	switch {
	case sites.ClockReader(fn) != "":
		f.setCall(c, 0, timed|all)
		return
	case all == 0:
		return
	case OfTime(fn):
	case fn.FullName() == "time.Unix" && isZero(args[0]) && f.of(args[1]) == instant:
		f.setCall(c, 0, timed)
		return
	case slices.ContainsFunc([]string{"Date", "Unix", "UnixMilli", "UnixMicro", "Parse", "ParseInLocation", "ParseDuration"}, func(name string) bool { return fn.FullName() == "time."+name }):
		f.setCall(c, 0, numeric)
		return
	default:
		if all&(numeric|instant) != 0 { // else it is a timer of some duration
			f.decides(c, "given to "+fn.FullName())
		}
		return
	}
	result := numeric
	switch {
	case name == "Location", name == "IsDST":
		return
	case comparing[name], name == "IsZero":
		if all == timed {
			return
		}
	case slices.Contains([]string{"Add", "AddDate", "Sub", "UTC", "Local", "In", "Abs"}, name), (name == "Round" || name == "Truncate") && notPositive(args[1]):
		if result = all; all&(numeric|instant) != 0 {
			result = numeric
		}
	case all != timed:
	case name == "UnixNano":
		result = instant
	case name == "Nanoseconds":
		result = timed
	}
	if result == numeric {
		f.setCalls(c, numeric)
		return
	}
	f.setCall(c, 0, result)
}

func isZero(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value != nil && constant.Sign(c.Value) == 0
}

// notPositive: a number is a constant that rounds nothing.
func notPositive(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	return ok && c.Value != nil && constant.Sign(c.Value) <= 0
}

// seeds follows a call that seeds random numbers. It reports whether it is one of which the
// runtime chooses the numbers, if the seed is from the clock.
func (f *clockFlow) seeds(c ssa.CallInstruction, fn *types.Func) bool {
	if !seeding[fn.FullName()] || fn.Name() == "NewPCG" && !onlyForRand(c) {
		return false
	}
	var all taint
	for _, a := range c.Common().Args {
		all |= f.of(a)
	}
	if all != 0 && f.found != nil {
		f.found.seeds[c.Pos()] = true
	}
	return true
}

// onlyForRand reports whether the generator that a call makes is given to rand.New, and used for
// nothing else.
func onlyForRand(c ssa.CallInstruction) bool {
	v := c.Value()
	if v == nil {
		return false
	}
	for _, r := range *v.Referrers() {
		m, ok := r.(*ssa.MakeInterface)
		if !ok {
			return false
		}
		for _, r := range *m.Referrers() {
			if call, ok := r.(*ssa.Call); !ok || !calls(call, "math/rand/v2.New") {
				return false
			}
		}
	}
	return true
}

// shows reports whether a function tells somebody what it is given.
func (f *clockFlow) shows(fn *types.Func) bool {
	return tellsSomebody(fn, f.handlesLogs)
}

// stream is the standard stream that a value is, "" if it is none.
func stream(v ssa.Value) string {
	if m, ok := v.(*ssa.MakeInterface); ok {
		v = m.X
	}
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		if g, ok := load.X.(*ssa.Global); ok && (g.String() == "os.Stdout" || g.String() == "os.Stderr") {
			return g.String()
		}
	}
	return ""
}

// showsStream reports whether a function writes to a standard stream.
func showsStream(fn *types.Func, args []ssa.Value) bool {
	switch name := fn.FullName(); {
	case strings.HasPrefix(name, "fmt.Fprint"), name == "(*os.File).Write", name == "(*os.File).WriteString":
		return len(args) > 0 && stream(args[0]) != ""
	}
	return false
}

// textBuilder is the builder of a text that a writer is, nil if it is none.
func textBuilder(v ssa.Value) ssa.Value {
	m, ok := v.(*ssa.MakeInterface)
	if !ok {
		return nil
	}
	switch typeText(m.X.Type()) {
	case "*strings.Builder", "*bytes.Buffer":
		return m.X
	}
	return nil
}

// builtin follows a call of a function of the language.
func (f *clockFlow) builtin(c ssa.CallInstruction, name string) {
	args := c.Common().Args
	var all taint
	for _, a := range args {
		all |= f.of(a)
	}
	switch name {
	case "print", "println", "close", "clear":
	case "delete":
		f.key(c, args[1])
	case "len", "cap":
		_, slice := args[0].Type().Underlying().(*types.Slice)
		switch {
		case isString(args[0].Type()):
			f.setCall(c, 0, all)
		case slice && all&numeric != 0: // a library has made it of such a number, or of a text
			f.setCall(c, 0, numeric)
		}
	case "min", "max":
		if all &= dated; all != 0 && isDuration(args[0].Type()) && all&(instant|numeric) == 0 {
			f.setCall(c, 0, scaled)
		} else if all != 0 {
			f.setCall(c, 0, numeric)
		}
	case "recover":
		f.setCall(c, 0, f.load(f.at(panicking)))
	case "copy", "append":
		if isString(args[len(args)-1].Type()) {
			f.store(f.to(args[0]), all)
		} else if name == "copy" {
			f.store(f.to(args[0]), f.load(f.to(args[1])))
		}
		f.setCall(c, 0, all)
	default:
		f.setCall(c, 0, all)
	}
}

// onlyTells reports whether what a condition decides is only what the program tells somebody,
// or what a value is, which is a number of the clock then.
func (f *clockFlow) onlyTells(x *ssa.If) bool {
	from := x.Block()
	region := map[*ssa.BasicBlock]bool{}
	todo := slices.Clone(from.Succs)
	var ends []*ssa.BasicBlock
	for len(todo) > 0 {
		b := todo[0]
		todo = todo[1:]
		if region[b] || slices.Contains(ends, b) {
			continue
		}
		inside := b != from && len(region) < maxTelling && !slices.ContainsFunc(b.Preds, func(p *ssa.BasicBlock) bool { return p != from && !region[p] })
		if inside && len(b.Succs) > 0 && f.tellsIn(b) {
			region[b] = true
			todo = append(todo, b.Succs...)
			continue
		}
		ends = append(ends, b)
	}
	if len(ends) != 1 {
		return false
	}
	end := ends[0]
	if end == from || slices.ContainsFunc(end.Preds, func(p *ssa.BasicBlock) bool { return region[p] && end.Dominates(p) }) {
		return false
	}
	for _, instr := range end.Instrs {
		phi, ok := instr.(*ssa.Phi)
		if !ok {
			break
		}
		values := map[ssa.Value]bool{}
		for i, p := range end.Preds {
			if p == from || region[p] {
				values[phi.Edges[i]] = true
			}
		}
		if len(values) > 1 {
			f.set(phi, numeric)
		}
	}
	return true
}

// maxTelling is how many blocks a condition may decide about that only tell something.
const maxTelling = 16

// tellsIn reports whether all that a block does is to tell somebody something.
func (f *clockFlow) tellsIn(b *ssa.BasicBlock) bool {
	local := func(v ssa.Value) bool {
		switch a := v.(type) {
		case *ssa.Alloc, *ssa.Global, *ssa.FreeVar:
			return true
		case *ssa.IndexAddr:
			_, made := a.X.(*ssa.Alloc)
			_, fixed := a.Index.(*ssa.Const)
			return made && fixed
		}
		return false
	}
	for _, instr := range b.Instrs {
		switch x := instr.(type) {
		case *ssa.DebugRef, *ssa.Jump, *ssa.If, *ssa.Phi, *ssa.Alloc, *ssa.ChangeType, *ssa.Convert, *ssa.Extract:
		case *ssa.Slice:
			if !local(x.X) || x.Low != nil || x.High != nil || x.Max != nil {
				return false
			}
		case *ssa.MakeInterface: // of what has no methods of the program's, which may do more
			if _, ok := types.Unalias(x.X.Type()).(*types.Basic); !ok && !isDuration(x.X.Type()) && !isTimeType(x.X.Type(), "Time") {
				return false
			}
		case *ssa.IndexAddr:
			if !local(x) {
				return false
			}
		case *ssa.BinOp:
			if x.Op == token.QUO || x.Op == token.REM || x.Op == token.SHL || x.Op == token.SHR {
				return false
			}
		case *ssa.UnOp:
			if x.Op == token.ARROW || x.Op == token.MUL && !local(x.X) {
				return false
			}
		case *ssa.Store:
			// An array for the arguments of a call, which is made where it is filled: of another one it is seen
			// behind the condition what is in it.
			a, ok := x.Addr.(*ssa.IndexAddr)
			if !ok || !local(a) || a.X.(*ssa.Alloc).Block() != b {
				return false
			}
		case *ssa.Call:
			if !f.onlyTellsCall(x) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// onlyTellsCall reports whether a call tells somebody something, or makes a text for that, and
// does nothing else.
func (f *clockFlow) onlyTellsCall(c *ssa.Call) bool {
	fn := f.libraryFunc(&c.Call)
	if fn == nil {
		return false
	}
	name := fn.Name()
	switch fn.Pkg().Path() {
	case "fmt":
		return strings.HasPrefix(name, "Print") || strings.HasPrefix(name, "Sprint")
	case "log":
		return strings.HasPrefix(name, "Print")
	case "log/slog":
		return f.shows(fn)
	case "testing":
		return strings.HasPrefix(name, "Log")
	case "time":
		return OfTime(fn)
	}
	return false
}
